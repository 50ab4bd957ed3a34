"""``cudamigrate explain CM1203``: the page of a diagnostic code."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown

from migrate.core.codes import all_codes, usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.core.resources import data_dir


def page_of(code: str) -> str:
    """The Markdown page of a code. Raises :class:`UserError` CM0009 for an unknown one."""
    wanted = code.upper()
    known = all_codes()
    if wanted not in known:
        near = ", ".join(c for c in known if c[:4] == wanted[:4])
        hint = f"; codes of that block: {near}" if near else ""
        raise UserError(
            Diagnostic(usage.UNKNOWN_CODE, Outcome.STOPPED, f"{code!r} is not a code{hint}")
        )
    return (data_dir("docs/diagnostics") / f"{wanted}.md").read_text(encoding="utf-8")


def explain(
    code: Annotated[str, typer.Argument(help="A code such as CM4001.", metavar="CODE")],
) -> None:
    """Show what a diagnostic code means, with an example and what to do."""
    Console().print(Markdown(page_of(code)))
