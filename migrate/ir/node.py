"""What every IR node has: a source span, and for statements the comment above it."""

from __future__ import annotations

from dataclasses import dataclass, field

from migrate.core.span import NO_SPAN, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Where a node came from is not what it is: ``span`` is outside equality."""

    span: Span = field(default=NO_SPAN, compare=False, repr=False)
