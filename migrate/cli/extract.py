"""``cudamigrate extract SRC``: what the front end makes of a source tree."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from migrate.cli import choices
from migrate.cli.exit_codes import ExitCode
from migrate.cli.stored_figures import store_figures, this_command
from migrate.core.targets import Target
from migrate.pipeline.compile_commands import load_database
from migrate.pipeline.extraction import Extraction, Reading, extract
from migrate.pipeline.inputs import find_inputs
from migrate.pipeline.summary import now
from migrate.pipeline.toolchain import tool_versions
from migrate.report.extraction import dump_extraction


def _show(console: Console, found: Extraction, root: str) -> None:
    for file in found.files:
        if file.stopped:
            console.print(Text(f"{file.file}: {file.stopped}"), soft_wrap=True)
    for kernel in found.kernels:
        if kernel.reading is not Reading.EXTRACTED:
            where = kernel.file.removeprefix(root)
            line = f"{where}:{kernel.line}: {kernel.name}: {' '.join(kernel.codes)}: {kernel.cause}"
            console.print(Text(line), soft_wrap=True)


def _table(console: Console, found: Extraction) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in (
        "files",
        "parsed",
        "kernels",
        "extracted",
        "refused",
        "unread",
        "left out",
        "seconds",
    ):
        table.add_column(name, justify="right")
    total = len(found.kernels)
    extracted = found.count(Reading.EXTRACTED)
    share = f" ({100 * extracted / total:.1f} %)" if total else ""
    parsed = sum(not f.stopped for f in found.files)
    table.add_row(
        str(len(found.files)),
        str(parsed),
        str(total),
        f"{extracted}{share}",
        str(found.count(Reading.REFUSED)),
        str(found.count(Reading.UNREAD)),
        str(found.left_out),
        f"{found.seconds:.1f}",
    )
    console.print(table)
    codes = Counter(c for k in found.kernels for c in k.codes[:1])
    for code, n in codes.most_common():
        console.print(f"{code}: {n}")


def extract_command(
    sources: choices.Sources = None,
    build: choices.Build = None,
    include: choices.Include = None,
    define: choices.Define = None,
    std: choices.Std = "c++17",
    jobs: choices.Jobs = 0,
    details: Annotated[
        bool, typer.Option("--details", help="List kernels that are not extracted.")
    ] = False,
    write: Annotated[
        Path | None,
        typer.Option(help="Page to regenerate; the figures lie in a folder beside it."),
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the stored figures.")] = "suite",
    title: Annotated[str, typer.Option(help="What the page calls the suite.")] = "",
) -> None:
    """Read CUDA sources and print how many kernels are extracted, refused by code, or unread."""
    options = choices.make_options(
        Target.TILELANG, include=include, define=define, std=std, jobs=jobs
    )
    paths, database = choices.with_database(sources, build)
    inputs = find_inputs(paths, None if database is None else load_database(database))
    found = extract(inputs.programs, options)
    console = Console()
    for diagnostic in inputs.diagnostics:
        console.print(Text(diagnostic.one_line()), soft_wrap=True)
    if details:
        _show(console, found, f"{Path.cwd()}/")
    _table(console, found)
    if write is not None:
        text = dump_extraction(found, title or name, now(), this_command(), tool_versions(options))
        store_figures(write, f"front-end/{name}.json", text)
    faults = any(c.startswith("CM9") for f in found.files for c in (f.stopped, *f.codes))
    raise typer.Exit(ExitCode.INTERNAL if faults else ExitCode.OK)
