"""Writes figures beside a page and renews the page."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from migrate.cli.portable import portable
from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.report.accuracy import accuracy_page


def this_command() -> str:
    """The command line as a page shows it."""
    return shlex.join(["cudamigrate", *portable(sys.argv[1:])])


def store_figures(
    page: Path, place: str, text: str, merge: Callable[[str, str], str] | None = None
) -> None:
    """Keep ``text`` as ``place`` in the folder beside ``page``, and generate the page again.

    With ``merge`` a text that is there already is merged with the new one. Raises
    :class:`UserError` when something cannot be written.
    """
    folder = page.with_suffix("")
    stored = folder / place
    try:
        stored.parent.mkdir(parents=True, exist_ok=True)
        if merge is not None and stored.is_file():
            text = merge(stored.read_text(encoding="utf-8"), text)
        stored.write_text(text, encoding="utf-8")
        page.write_text(accuracy_page(folder), encoding="utf-8")
    except OSError as error:
        raise UserError(
            Diagnostic(usage.OUTPUT_UNWRITABLE, Outcome.STOPPED, f"{page}: {error.strerror}")
        ) from error
