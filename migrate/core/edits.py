"""Byte-exact edits of a source file: what no edit names stays as it is, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replaces ``text[start:end]``; an insertion when the range is empty."""

    start: int
    end: int
    text: bytes


class OverlappingEdits(ValueError):
    """Two edits want the same bytes; carries both."""

    def __init__(self, first: Edit, second: Edit) -> None:
        super().__init__(
            f"edits of [{first.start}, {first.end}) and [{second.start}, {second.end}) overlap"
        )
        self.first, self.second = first, second


@dataclass(frozen=True, slots=True)
class Edited:
    """The new text, and for each edit (in the order of the text) where its replacement begins."""

    text: bytes
    placed: tuple[tuple[Edit, int], ...]


def apply_edits(source: bytes, edits: Iterable[Edit]) -> Edited:
    """Carry out edits. Insertions at one place keep the order in which they were given.

    Raises :class:`OverlappingEdits` when two ranges share a byte or an insertion lies inside a
    replaced range, and ``ValueError`` when a range is outside the source.
    """
    ordered = sorted(edits, key=lambda e: (e.start, e.end))
    parts: list[bytes] = []
    placed: list[tuple[Edit, int]] = []
    at, length = 0, 0
    previous: Edit | None = None
    for edit in ordered:
        if not 0 <= edit.start <= edit.end <= len(source):
            raise ValueError(f"edit [{edit.start}, {edit.end}) of {len(source)} bytes")
        if previous is not None and edit.start < previous.end:
            raise OverlappingEdits(previous, edit)
        kept = source[at : edit.start]
        placed.append((edit, length + len(kept)))
        parts += (kept, edit.text)
        length += len(kept) + len(edit.text)
        at, previous = edit.end, edit
    parts.append(source[at:])
    return Edited(b"".join(parts), tuple(placed))
