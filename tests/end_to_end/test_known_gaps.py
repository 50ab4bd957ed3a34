"""Programs that cannot be migrated yet are refused with a code; one that works fails the test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
import yaml

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.run import run_all
from migrate.rules.catalogue import Catalogue

ROOT = Path(__file__).resolve().parents[2]
GAPS = sorted((ROOT / "tests" / "known_gaps").glob("*/gap.yaml"))


def _cases() -> list[tuple[Path, Target]]:
    found: list[tuple[Path, Target]] = []
    for path in GAPS:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        found += [(path, Target(t)) for t in cast("list[str]", data["targets"])]
    return found


@pytest.mark.parametrize(
    ("path", "target"), _cases(), ids=lambda x: x.parent.name if isinstance(x, Path) else x.value
)
def test_gap(path: Path, target: Target, options: Options, catalogue: Catalogue) -> None:
    gap = yaml.safe_load(path.read_text(encoding="utf-8"))
    programs = find_programs((path.parent,))
    (run,) = run_all(programs, replace(options, target=target, run=False), catalogue)
    emitted = {k.name for k in run.conversion.artifact.kernels}
    refused = {r.name: r.diagnostics for r in run.conversion.artifact.refused}
    for unit in run.conversion.program.units:
        refused.update({u.name: (u.diagnostic,) for u in unit.unread})
    for kernel in gap["kernels"]:
        assert kernel not in emitted, f"{kernel} is emitted for {target.value}: is the gap closed?"
        codes = [d.code.id for d in refused[kernel]]
        assert any(c.startswith(gap["code_family"]) for c in codes), codes


def test_there_are_gaps() -> None:
    assert len(GAPS) >= 4
