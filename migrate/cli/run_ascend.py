"""``cudamigrate run-ascend``: existing Ascend C projects, built unchanged for the CPU and run."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from migrate.cli.exit_codes import ExitCode
from migrate.cli.progress import showing
from migrate.cli.stored_figures import store_figures, this_command
from migrate.core.options import Limits, Options
from migrate.core.targets import Target
from migrate.pipeline.ascend_layout import find_projects
from migrate.pipeline.ascend_projects import ProgramResult, run_projects
from migrate.pipeline.summary import now
from migrate.pipeline.toolchain import tool_versions
from migrate.report.ascend_projects import dump_projects, summary_rows
from migrate.report.originals import merge_programs


def run_ascend(
    folders: Annotated[
        list[Path], typer.Argument(help="Projects, or folders of them.", exists=True)
    ],
    every_case: Annotated[
        bool, typer.Option("--every-case", help="Build each case of SCENARIO_NUM.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(help="Projects with this folder in their path.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds that one run may take.")] = 60.0,
    memory: Annotated[int, typer.Option(min=64, help="MiB that a run may use.")] = 8192,
    details: Annotated[bool, typer.Option("--details", help="Say why runs do not pass.")] = False,
    write: Annotated[
        Path | None, typer.Option(help="Page to renew; figures are kept in the folder beside it.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the stored figures.")] = "projects",
    title: Annotated[str, typer.Option(help="Their heading.")] = "Ascend C projects",
    update: Annotated[
        bool, typer.Option("--update", help="Renew these programs in what is stored.")
    ] = False,
) -> None:
    """Build existing Ascend C projects unchanged for the CPU, and run their own checks."""
    limits = Limits(seconds=timeout, memory_bytes=memory << 20)
    console = Console()
    count = sum(len(find_projects(folder)) for folder in folders)
    chosen = frozenset(only or ())
    with (
        tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch,
        showing(console, count) as listener,
    ):
        work = Path(scratch)
        found = run_projects(folders, work, limits, listener, only=chosen, every_case=every_case)
    _show(console, found, details=details)
    if write is not None:
        tools = tool_versions(Options(target=Target.ASCEND_950))
        text = dump_projects(found, title, now(), this_command(), tools)
        merge = merge_programs if update else None
        store_figures(write, f"ascend-projects/{name}.json", text, merge)
    if any(p.self_checked and not p.passed for p in found):
        raise typer.Exit(ExitCode.BELOW_GATE)


def _show(console: Console, found: tuple[ProgramResult, ...], *, details: bool) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("program", "case", "check", "kernels skipped", "memory zeroed", "seconds"):
        table.add_column(name)
    for p in found:
        for c in p.cases:
            table.add_row(p.program, c.case, c.check, c.control, c.zeroed, f"{c.seconds:.1f}")
    console.print(table)
    for p in found if details else ():
        for c in p.cases:
            if c.cause:
                line = f"{p.program} {c.case}: {c.cause}"
                console.print(line, markup=False, highlight=False, soft_wrap=True)
    for figure, value in summary_rows(found):
        console.print(f"{figure}: {value}", markup=False, highlight=False)
