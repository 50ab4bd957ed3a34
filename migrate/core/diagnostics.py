"""Diagnostics: a stable code, a place, a cause stated as a fact, and what the output is now.

Severity follows from the outcome, so nobody picks it by feel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from migrate.core.span import NO_SPAN, Span


class Outcome(Enum):
    """What stands in the output because of a diagnostic."""

    EXACT = "migrated, same meaning"
    WEAKER = "migrated, weaker guarantee"
    UNPROVEN = "migrated, numbers not compared"
    DIFFERENT = "migrated, numbers differ"
    STUBBED = "left as a stub that fails loudly"
    REFUSED = "kernel not emitted"
    STOPPED = "nothing was written"
    FAULTY = "the program itself is at fault"
    DOUBTFUL = "runs here, but CUDA does not promise it"


class Severity(Enum):
    """How a diagnostic is shown; derived from its outcome."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


_SEVERITY = {
    Outcome.EXACT: Severity.NOTE,
    Outcome.WEAKER: Severity.WARNING,
    Outcome.UNPROVEN: Severity.WARNING,
    Outcome.DIFFERENT: Severity.ERROR,
    Outcome.STUBBED: Severity.WARNING,
    Outcome.REFUSED: Severity.ERROR,
    Outcome.STOPPED: Severity.ERROR,
    Outcome.FAULTY: Severity.ERROR,
    Outcome.DOUBTFUL: Severity.NOTE,
}


class Trust(Enum):
    """How far a suggestion can be applied without a look."""

    SAFE = "safe"
    REVIEW = "review"
    SHOW = "show"


@dataclass(frozen=True, slots=True)
class Code:
    """One entry of the table of codes. ``title`` stands alone, lower case, no full stop."""

    id: str
    title: str

    def __str__(self) -> str:
        return self.id


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What to do about a diagnostic. ``replacement`` is new text for the span, if known."""

    text: str
    trust: Trust = Trust.REVIEW
    replacement: str | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about the user's program (never about a fault of ours).

    ``label`` says what is at the caret; ``cause`` is the fact that decided; ``kernel`` is the
    kernel's symbol when the finding belongs to one; ``target`` the target id when it is only
    true for that target; ``rule`` the catalogue rule that made the decision.
    """

    code: Code
    outcome: Outcome
    cause: str
    span: Span = NO_SPAN
    label: str = ""
    suggestion: Suggestion | None = None
    kernel: str | None = None
    target: str | None = None
    rule: str | None = None

    @property
    def severity(self) -> Severity:
        """Error when something is missing, warning when weaker, note otherwise."""
        return _SEVERITY[self.outcome]

    def one_line(self) -> str:
        """``file:line:col: CM1234: title: cause``, as left in generated code and CI logs."""
        where = "" if self.span == NO_SPAN else f"{self.span}: "
        return f"{where}{self.code.id}: {self.code.title}: {self.cause}"


@dataclass(slots=True)
class Sink:
    """Collects diagnostics in the order in which they were reported."""

    _items: list[Diagnostic] = field(default_factory=list)

    def report(self, diagnostic: Diagnostic) -> None:
        """Add a diagnostic; an equal one is kept once."""
        if diagnostic not in self._items:
            self._items.append(diagnostic)

    def extend(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Add several."""
        for diagnostic in diagnostics:
            self.report(diagnostic)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All so far."""
        return tuple(self._items)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._items)


class UserError(Exception):
    """A command cannot go on because of its input; carries the diagnostic that says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.one_line())
        self.diagnostic = diagnostic


class InternalError(Exception):
    """A fault of ours (CM9xxx): a pass broke its own promise. Never raised for user input."""

    def __init__(self, code: Code, detail: str) -> None:
        super().__init__(f"{code.id}: {code.title}: {detail}")
        self.code = code
        self.detail = detail
