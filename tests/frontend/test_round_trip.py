"""Kernels that are read, printed back as CUDA and run give the same bytes as the original."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from migrate.core.options import Limits
from migrate.emulation.cuda_program import (
    CudaSources,
    RunSetup,
    build_cuda_program,
    capture_program,
)
from migrate.emulation.toolchain import find_compiler
from migrate.frontend.program import FrontendOptions, read_unit
from migrate.frontend.source_edit import apply_edits
from tests.frontend.conftest import needs_gxx
from tests.frontend.cuda_text import round_trip_edits

CORPUS = Path(__file__).parents[2] / "corpus"
PROGRAMS = ("bias_gelu", "hash_mix", "rgba_to_ycbcr", "signed_divmod", "complex_multiply")


def launches(folder: Path) -> list[tuple[object, ...]]:
    """What each captured launch was, and the hashes of what it left in memory."""
    lines = (folder / "launches.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return [
        (r["mangled"], r["grid"], r["block"], [(b["size"], b["after"]) for b in r["buffers"]])
        for r in records
    ]


@needs_gxx
@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_memory_after_every_launch(name: str, tmp_path: Path, cache_dir: Path) -> None:
    original = next(CORPUS.rglob(f"{name}.cu"))
    unit = read_unit(original, original.parent, FrontendOptions(cache_dir=cache_dir))
    assert not unit.unread
    edits = round_trip_edits(unit, str(original))
    assert edits
    again = tmp_path / "again"
    shutil.copytree(original.parent, again)
    (again / original.name).write_bytes(apply_edits(unit.main.text, edits))
    compiler = find_compiler(None)
    found = []
    for source, folder in ((original, tmp_path / "a"), (again / original.name, tmp_path / "b")):
        built = build_cuda_program(CudaSources((source,)), folder, compiler, cache_dir)
        run = capture_program(built, folder / "capture", RunSetup((), Limits(seconds=60)))
        assert run.result.exit == 0
        found.append(launches(run.directory))
    assert found[0] and found[0] == found[1]
