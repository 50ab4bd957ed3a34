"""How the readers give up on one kernel: an exception that never leaves the front end."""

from __future__ import annotations

from migrate.core.diagnostics import Code
from migrate.core.span import Span
from migrate.frontend.cursor import Cursor


class Refused(Exception):
    """A construct cannot be read; ``cause`` is a fact about it and ``cursor`` its place,
    unless ``span`` names a better one."""

    def __init__(
        self, code: Code, cause: str, cursor: Cursor | None, span: Span | None = None
    ) -> None:
        super().__init__(f"{code.id}: {cause}")
        self.code = code
        self.cause = cause
        self.cursor = cursor
        self.span = span


class NotAPlace(Exception):
    """An expression was asked for its place and has none; the caller takes its value."""
