"""Runs of a migrated program on the CPU runtime."""

from __future__ import annotations

from pathlib import Path

from migrate.core.artifact import Artifact
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.verify.ascend_program import MigratedRun, run_migrated

CACHE = Path(__file__).parents[2] / "build" / "cache"
"""Shared by all tests: the runtime's headers are compiled once."""


def written(artifact: Artifact, out: Path) -> Path:
    for file in artifact.files:
        place = out / Path(*file.path.parts)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.content)
    return out


def run(artifact: Artifact, folder: Path, *, skip: bool = False) -> MigratedRun:
    out = written(artifact, folder / "out")
    options = Options(Target(artifact.target), cache_dir=CACHE)
    return run_migrated(out, artifact, (), options, folder / "work", skip_kernels=skip)
