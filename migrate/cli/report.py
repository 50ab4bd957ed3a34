"""``cudamigrate report OUT``: renders a report again in another format."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.report.html import render_html
from migrate.report.json_report import read_report
from migrate.report.junit import render_junit
from migrate.report.model import Report, dump_json
from migrate.report.sarif import render_sarif
from migrate.report.terminal import print_report


class Format(str, Enum):
    """Formats of a report."""

    HTML = "html"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    TERMINAL = "terminal"


def _render(report: Report, form: Format) -> str:
    match form:
        case Format.HTML:
            return render_html(report)
        case Format.JSON:
            return dump_json(report)
        case Format.SARIF:
            return render_sarif(report)
        case Format.JUNIT:
            return render_junit(report)
        case Format.TERMINAL:
            raise ValueError("the terminal format is printed, not rendered")


def report(
    out: Annotated[Path, typer.Argument(help="An output directory or its report.json.")],
    form: Annotated[
        Format, typer.Option("--format", "-f", help="What to write.")
    ] = Format.TERMINAL,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write (default: stdout).")
    ] = None,
) -> None:
    """Show a report, or write it as HTML, JSON, SARIF or JUnit."""
    found = read_report(out)
    if form is Format.TERMINAL:
        print_report(Console(), found)
        return
    text = _render(found, form)
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(
            Diagnostic(usage.OUTPUT_UNWRITABLE, Outcome.STOPPED, f"{output}: {error.strerror}")
        ) from error
