"""The report of one run."""

from __future__ import annotations

from migrate import __version__
from migrate.core.diagnostics import Diagnostic
from migrate.core.options import Options
from migrate.pipeline.run import ProgramRun
from migrate.pipeline.summary import header, now
from migrate.report.build import ProgramResult, diagnostic_row, program_row
from migrate.report.model import Report, totals_of


def assemble_report(
    runs: tuple[ProgramRun, ...],
    options: Options,
    seconds: float,
    command: str,
    diagnostics: tuple[Diagnostic, ...] = (),
) -> Report:
    """Everything that a run found, in the one model that every format renders.

    ``diagnostics`` are those of the inputs, which belong to no program.
    """
    target, title, tools = header(options)
    programs = tuple(
        program_row(
            ProgramResult(
                r.conversion.source.name,
                r.conversion.program,
                r.conversion.artifact,
                r.proof.kernels,
                r.proof.runs,
            )
        )
        for r in runs
    )
    return Report(
        tool_version=__version__,
        date=now(),
        target=target,
        target_title=title,
        programs=programs,
        totals=totals_of(tuple(k.verdict for p in programs for k in p.kernels)),
        diagnostics=tuple(diagnostic_row(d) for d in diagnostics),
        toolchain=tools,
        seconds=round(seconds, 1),
        command=command,
    )
