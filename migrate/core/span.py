"""Places in source files, as byte offsets and as lines and columns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open byte range ``[start, end)`` of one file.

    ``line`` and ``column`` are 1-based and belong to ``start``; ``end_line`` is the line that
    holds the last byte. ``file`` is the path as the user wrote it, never made absolute.
    """

    file: str
    start: int
    end: int
    line: int
    column: int
    end_line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NO_SPAN = Span(file="<none>", start=0, end=0, line=0, column=0, end_line=0)
"""The span of a node that no source text stands for (made by a pass)."""


def span_of(file: str, text: bytes, start: int, end: int) -> Span:
    """The span of ``text[start:end]``, with lines and columns counted from the bytes."""
    line = text.count(b"\n", 0, start) + 1
    column = start - (text.rfind(b"\n", 0, start) + 1) + 1
    end_line = line + text.count(b"\n", start, max(start, end - 1))
    return Span(file=file, start=start, end=end, line=line, column=column, end_line=end_line)
