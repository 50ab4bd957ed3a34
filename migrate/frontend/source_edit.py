"""Byte-exact edits: what is not replaced stays as it is, whatever its encoding or line ends."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``[start, end)`` by ``replacement``; an empty range inserts."""

    start: int
    end: int
    replacement: bytes


class OverlappingEdits(ValueError):
    """Two edits want the same bytes."""

    def __init__(self, first: Edit, second: Edit) -> None:
        super().__init__(
            f"edits [{first.start}, {first.end}) and [{second.start}, {second.end}) overlap"
        )
        self.first = first
        self.second = second


def apply_edits(data: bytes, edits: tuple[Edit, ...]) -> bytes:
    """Apply edits in any order. Insertions at one place keep the order in which they were given.

    Raises :class:`OverlappingEdits` when two edits meet, and ``ValueError`` when one lies outside
    of the data.
    """
    ordered = sorted(enumerate(edits), key=lambda pair: (pair[1].start, pair[1].end, pair[0]))
    parts: list[bytes] = []
    at = 0
    before: Edit | None = None
    for _, edit in ordered:
        if not 0 <= edit.start <= edit.end <= len(data):
            raise ValueError(f"edit [{edit.start}, {edit.end}) is outside of {len(data)} bytes")
        if before is not None and edit.start < at:
            raise OverlappingEdits(before, edit)
        parts.append(data[at : edit.start])
        parts.append(edit.replacement)
        at = edit.end
        before = edit
    parts.append(data[at:])
    return b"".join(parts)


def line_ending(data: bytes) -> bytes:
    """The line ending that most lines of a file have, for text that is put into it."""
    pairs = data.count(b"\r\n")
    return b"\r\n" if pairs * 2 > data.count(b"\n") else b"\n"
