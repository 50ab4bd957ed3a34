"""``cudamigrate doctor``: which tools are there, and what the lack of one costs."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from migrate.cli.choices import make_options
from migrate.cli.exit_codes import ExitCode
from migrate.core.diagnostics import UserError
from migrate.core.resources import data_dir, include_dir
from migrate.core.targets import Target
from migrate.emulation.run import confinement
from migrate.emulation.symbols import find_symboliser
from migrate.pipeline.toolchain import Tool, find_tools
from migrate.rules.catalogue import load_catalogue


def _installation() -> tuple[Tool, ...]:
    rows: list[Tool] = []
    try:
        catalogue = load_catalogue()
        count = f"{len(catalogue.rules)} rules"
        rows.append(Tool("rule catalogue", not catalogue.faults, count, "rules with faults"))
        data_dir("templates")
        data_dir("docs/diagnostics")
        rows.append(Tool("templates and pages", True, "complete", ""))
    except (FileNotFoundError, UserError) as error:
        rows.append(Tool("installation", False, "", str(error)))
    emulators = all((include_dir() / d).is_dir() for d in ("cuda_emu", "ascendc_emu"))
    rows.append(Tool("CPU runtimes", emulators, "CUDA, Ascend C", "nothing can be run"))
    return tuple(rows)


def _sandbox() -> tuple[Tool, ...]:
    able = confinement()
    return (
        Tool(
            "sandbox: files",
            able.writes,
            "Landlock: programs write to their work folder only",
            "programs that are run can write wherever you can (Landlock needs Linux 5.13)",
        ),
        Tool(
            "sandbox: processes",
            able.processes,
            "namespaces: no network, no process outlives its run",
            "programs that are run reach the network and other processes of yours",
        ),
        Tool("addr2line", find_symboliser() is not None, "found", "checks cannot name lines"),
    )


def doctor() -> None:
    """Show which tools were found and what the lack of one costs."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("tool", "state", "version or cost of its lack"):
        table.add_column(name, overflow="fold")
    tools = find_tools(make_options(Target.TILELANG))
    rows = (*_installation(), *_sandbox(), *tools)
    for tool in rows:
        state = Text("found", style="green") if tool.found else Text("missing", style="yellow")
        table.add_row(tool.name, state, Text(tool.version if tool.found else tool.note))
    Console().print(table)
    needed = ("C++ compiler", "rule catalogue", "templates and pages", "CPU runtimes")
    if any(t.name in needed and not t.found for t in rows):
        raise typer.Exit(ExitCode.NO_TOOLCHAIN)
