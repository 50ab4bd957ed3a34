"""`cudamigrate api-coverage TREE`: which host API calls of a tree are migrated, by library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from migrate.cli.stored_figures import this_command
from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.core.targets import Target
from migrate.pipeline.api_coverage import api_coverage
from migrate.pipeline.summary import now
from migrate.report.host_api import HEADER, dump_coverage, host_api_page, table_rows
from migrate.rules.catalogue import load_catalogue


def api_coverage_command(
    trees: Annotated[list[Path], typer.Argument(help="Source trees or files.")],
    to: Annotated[Target, typer.Option("--to", help="The target.")] = Target.ASCEND_950,
    write: Annotated[
        Path | None, typer.Option("--write", help="Store the figures beside this page, renew it.")
    ] = None,
    title: Annotated[str, typer.Option("--title", help="The suite's name on the page.")] = "",
) -> None:
    """Count the calls of CUDA's host API in a tree: migrated, stubbed, unknown."""
    coverage = api_coverage(tuple(trees), to, load_catalogue())
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in HEADER:
        table.add_column(name, justify="left" if name == HEADER[0] else "right")
    for row in table_rows(coverage):
        table.add_row(*row)
    Console().print(table)
    if write is None:
        return
    name = title or trees[0].name
    text = dump_coverage(coverage, name, this_command(), now())
    folder = write.with_suffix("")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}-{to.value}.json").write_text(text, encoding="utf-8")
        write.write_text(host_api_page(folder), encoding="utf-8")
    except OSError as error:
        cause = f"{write}: {error.strerror}"
        raise UserError(Diagnostic(usage.OUTPUT_UNWRITABLE, Outcome.STOPPED, cause)) from error
