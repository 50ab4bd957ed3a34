"""How a pass says that a kernel cannot be brought to normal form."""

from __future__ import annotations

from migrate.core.diagnostics import Code, Diagnostic, Outcome, Suggestion
from migrate.core.span import NO_SPAN, Span


class Refused(Exception):
    """A kernel is refused; carries the diagnostic that names the construct."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.one_line())
        self.diagnostic = diagnostic


def refuse(code: Code, cause: str, span: Span = NO_SPAN, advice: str | None = None) -> Refused:
    """The exception for one construct; ``advice`` says what the user can do about it."""
    suggestion = None if advice is None else Suggestion(advice)
    return Refused(Diagnostic(code, Outcome.REFUSED, cause, span, suggestion=suggestion))
