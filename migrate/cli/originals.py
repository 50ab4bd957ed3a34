"""``cudamigrate score SUITE --originals``: the originals alone, built, run, captured, replayed."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from migrate.cli.exit_codes import ExitCode
from migrate.cli.progress import showing
from migrate.cli.stored_figures import store_figures, this_command
from migrate.core.options import Options
from migrate.pipeline.originals import OriginalScore, measure_originals
from migrate.pipeline.suite import SuiteProgram
from migrate.pipeline.summary import now
from migrate.pipeline.toolchain import tool_versions
from migrate.report.originals import dump_originals, merge_programs, summary_rows


def score_originals(
    programs: tuple[SuiteProgram, ...], options: Options, console: Console, *, details: bool
) -> tuple[OriginalScore, ...]:
    """Measure, and print the figures; with ``details`` also what did not go well."""
    with showing(console, len(programs)) as listener:
        rows = measure_originals(programs, options, listener)
    table = Table("figure", "value", box=None, pad_edge=False, header_style="bold")
    for name, value in summary_rows(rows):
        table.add_row(name, value)
    console.print(table)
    for r in rows if details else ():
        if not r.passed or r.exact != r.captured:
            line = (
                f"{r.program}: {r.check}, kernels skipped {r.control}, "
                f"{r.exact} of {r.captured} exact {r.cause}"
            )
            console.print(Text(line.strip()), soft_wrap=True)
    return rows


def write_originals(
    page: Path,
    name: str,
    title: str,
    rows: tuple[OriginalScore, ...],
    options: Options,
    *,
    update: bool,
) -> None:
    """Store the figures beside the page, or renew some rows, and write the page again."""
    text = dump_originals(rows, title, now(), this_command(), tool_versions(options))
    store_figures(page, f"originals/{name}.json", text, merge_programs if update else None)


def status_of(rows: tuple[OriginalScore, ...]) -> ExitCode:
    """Below the gate when a run without kernels counts as passed, or a replay is not exact."""
    wrong = any(r.control_passed or r.exact != r.replayed for r in rows)
    return ExitCode.BELOW_GATE if wrong else ExitCode.OK
