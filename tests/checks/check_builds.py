"""The seeded programs, built once with the checks, and what a run of them finds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from migrate.core.diagnostics import Diagnostic
from migrate.core.options import Limits
from migrate.emulation.checks import Check, CheckedRun, build_checked, run_checked
from migrate.emulation.cuda_program import BuiltProgram, CudaSources, RunSetup
from migrate.emulation.toolchain import find_compiler
from migrate.pipeline.check import source_files
from migrate.pipeline.check_findings import diagnostics_of

PROGRAMS = Path(__file__).parent / "programs"
CACHE = Path(__file__).parents[2] / "build" / "cache"
_FAULT = re.compile(r"// FAULT (\w+) (CM\d{4})")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault marked in the sources: where it is and what must be said about it."""

    name: str
    code: str
    file: str
    line: int


def seeded_faults() -> tuple[Fault, ...]:
    """Every fault marked in the sources."""
    return tuple(
        Fault(found[1], found[2], path.name, number)
        for path in sorted(PROGRAMS.glob("*.cuh"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if (found := _FAULT.search(line))
    )


@dataclass(frozen=True, slots=True)
class CheckBuild:
    """A program with the checks in it."""

    built: BuiltProgram

    def run(self, *args: str, checks: frozenset[Check] = frozenset(Check)) -> CheckedRun:
        """One run under limits that fit a small test."""
        limits = Limits(seconds=20, memory_bytes=1 << 30)
        return run_checked(self.built, RunSetup(args, limits), checks)

    def found(
        self, *args: str, checks: frozenset[Check] = frozenset(Check)
    ) -> tuple[Diagnostic, ...]:
        """What a run finds."""
        return diagnostics_of(self.run(*args, checks=checks).findings, source_files(self.built))


def build(name: str, work: Path) -> CheckBuild:
    """Builds ``programs/NAME.cu`` in ``work``."""
    sources = CudaSources((PROGRAMS / f"{name}.cu",), include_dirs=(PROGRAMS,))
    return CheckBuild(build_checked(sources, work, find_compiler(), CACHE))
