"""How the back end says that TileLang has no words for something."""

from __future__ import annotations

from migrate.core.diagnostics import Code, Diagnostic, Outcome
from migrate.core.span import Span


class Unspellable(Exception):
    """An expression or statement that TileLang cannot say; carries the diagnostic."""

    def __init__(self, code: Code, cause: str, span: Span) -> None:
        super().__init__(cause)
        self.diagnostic = Diagnostic(code, Outcome.REFUSED, cause, span)
