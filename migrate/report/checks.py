"""The report of ``cudamigrate run``: the findings, in the model that every format renders."""

from __future__ import annotations

from collections.abc import Sequence

from migrate import __version__
from migrate.core.options import Options
from migrate.pipeline.check import ProgramCheck
from migrate.pipeline.summary import now
from migrate.pipeline.toolchain import tool_versions
from migrate.report.build import diagnostic_row
from migrate.report.model import ProgramRow, Report, totals_of


def _ended(check: ProgramCheck) -> str:
    if check.result is None:
        return "not-run"
    return "pass" if check.result.ok else "error"


def check_report(
    results: Sequence[ProgramCheck], options: Options, seconds: float, words: Sequence[str]
) -> Report:
    """A report without kernels: nothing was converted, the diagnostics are the result."""
    programs = tuple(
        ProgramRow(
            name=r.program.name,
            files=tuple(str(p) for p in (*r.program.sources, *r.program.host_sources)),
            kernels=(),
            original_run=_ended(r),
            migrated_run="not-run",
            control_run="not-run",
            detail="",
            diagnostics=tuple(diagnostic_row(d) for d in r.diagnostics),
        )
        for r in results
    )
    return Report(
        tool_version=__version__,
        date=now(),
        target="cpu",
        target_title="CUDA on the CPU, checked",
        programs=programs,
        totals=totals_of(()),
        diagnostics=(),
        toolchain=tool_versions(options),
        seconds=round(seconds, 1),
        command=" ".join(["cudamigrate", *words]),
    )
