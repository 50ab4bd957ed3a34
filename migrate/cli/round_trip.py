"""``cudamigrate round-trip SRC``: proves that reading the kernels lost nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from migrate.cli.choices import make_options
from migrate.cli.exit_codes import ExitCode
from migrate.cli.progress import showing
from migrate.cli.stored_figures import store_figures, this_command
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.round_trip import RoundTrip, measure_round_trips, round_trip
from migrate.pipeline.suite import SuiteProgram
from migrate.pipeline.summary import now
from migrate.pipeline.toolchain import tool_versions
from migrate.report.originals import merge_programs
from migrate.report.round_trip import dump_round_trips, figures_line


def round_trip_command(
    paths: Annotated[list[Path], typer.Argument(help="CUDA files or directories.")],
    args: Annotated[str, typer.Option(help="Arguments of the programs.")] = "",
    include: Annotated[list[Path] | None, typer.Option("-I", help="Include directory.")] = None,
    define: Annotated[list[str] | None, typer.Option("-D", help="NAME or NAME=VALUE.")] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds that one run may take.")] = 60.0,
    details: Annotated[bool, typer.Option("--details", help="Say why kernels were left.")] = False,
) -> None:
    """Read each kernel, print it back as CUDA in place of its body, and run both programs."""
    options = make_options(
        Target.TILELANG, include=include, define=define, args=tuple(args.split()), timeout=timeout
    )
    found: list[RoundTrip] = []
    console = Console()
    for program in find_programs(tuple(paths)):
        with tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch:
            found.append(round_trip(program, options, Path(scratch)))
        if details:
            _details(console, found[-1])
    _table(console, found)
    raise typer.Exit(status_of(found))


def _details(console: Console, found: RoundTrip) -> None:
    for symbol, reason in found.left:
        console.print(f"{found.program}: {symbol} keeps its body: {reason}", markup=False)
    if found.detail:
        console.print(f"{found.program}: {found.detail}", markup=False)


def _table(console: Console, found: Iterable[RoundTrip]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("program", "text", "printed", "left", "unread", "before", "after", "launches"):
        table.add_column(name)
    for r in found:
        table.add_row(
            r.program, "same" if r.text_equal else "differs", str(r.kernels), str(len(r.left)),
            str(r.unread), r.before, r.after, f"{r.equal}/{r.launches - r.other_input}",
        )  # fmt: skip
    console.print(table)


def score_round_trips(
    programs: tuple[SuiteProgram, ...], options: Options, console: Console, *, details: bool
) -> tuple[RoundTrip, ...]:
    """``cudamigrate score SUITE --round-trip``: measure, and print a row a program."""
    with showing(console, len(programs)) as listener:
        rows = measure_round_trips(programs, options, listener)
    for r in rows if details else ():
        _details(console, r)
    _table(console, rows)
    console.print(figures_line(rows))
    return rows


def write_round_trips(
    page: Path,
    name: str,
    title: str,
    rows: tuple[RoundTrip, ...],
    options: Options,
    *,
    update: bool,
) -> None:
    """Store the rows beside the page, or renew some of them, and write the page again."""
    text = dump_round_trips(rows, title, now(), this_command(), tool_versions(options))
    store_figures(page, f"round-trip/{name}.json", text, merge_programs if update else None)


def status_of(rows: Iterable[RoundTrip]) -> ExitCode:
    """Below the gate when a printed program does not do what the original does."""
    return ExitCode.OK if all(r.holds for r in rows) else ExitCode.BELOW_GATE
