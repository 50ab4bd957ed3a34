"""An original and its migrated form as one file: what differs stands behind guards.

A guard can stand between two lines where the preprocessor reads lines of their own: not in a
comment, a string, a continued line or the arguments of a macro. The two sides are taken out of the
result again and compared with what went in; where they differ the whole file is guarded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from migrate.core.artifact import AppliedEdit
from migrate.core.cpp_text import newline_of
from migrate.core.guard_places import grown, line_start, next_line, no_guard_here
from migrate.core.hybrid_text import (
    ASCEND_ONLY,
    CUDA_ONLY,
    END,
    MACRO,
    OTHERWISE,
    Platform,
    is_guarded,
    side,
)

_BOM = b"\xef\xbb\xbf"
_PAIRED = re.compile(rb"[ \t]*#[ \t]*(?:if|el|endif)")
DISPATCH = """\
// Which platform the files that include this are built for: CUDA or Ascend.
//
// A build says -DUSE_ASCEND or -DUSE_CUDA. Where it says neither, the compiler does.
#ifndef CUDA_OR_ASCEND_H
#define CUDA_OR_ASCEND_H

#if defined(USE_ASCEND) && defined(USE_CUDA)
#error "USE_ASCEND and USE_CUDA are both defined"
#endif
#if !defined(USE_ASCEND) && !defined(USE_CUDA)
#if defined(__NPU_ARCH__) || defined(__CCE__)
#define USE_ASCEND
#else
#define USE_CUDA
#endif
#endif

#endif
"""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Whole lines ``[start, end)`` of the original, and what they became in the new text."""

    start: int
    end: int
    new_start: int
    new_end: int


def merge(
    original: bytes, migrated: bytes, edits: Sequence[AppliedEdit], header: str
) -> bytes | None:
    """Both as one file that includes the dispatch ``header`` first.

    None for an original that has such guards itself, which two files can serve better.
    """
    if MACRO.encode() in original or is_guarded(original):
        return None
    hunks = [_trimmed(h, original, migrated) for h in _hunks(original, edits)]
    for attempt in (hunks, [Hunk(0, len(original), 0, len(migrated))]):
        text = _text(original, migrated, attempt, header)
        sides = (side(text, Platform.CUDA), side(text, Platform.ASCEND))
        if _same(sides[0], original) and _same(sides[1], migrated):
            return text
    return None


def _same(found: bytes, wanted: bytes) -> bool:
    return found.rstrip(b"\r\n") == wanted.rstrip(b"\r\n")


def _text(original: bytes, migrated: bytes, hunks: Iterable[Hunk], header: str) -> bytes:
    nl = newline_of(original)
    bom = _BOM if original.startswith(_BOM) else b""
    out = [bom, f'#include "{header}"'.encode(), nl]
    at = len(bom)
    for hunk in hunks:
        out.append(_ended(original[at : hunk.start], nl) if hunk.start > at else b"")
        old = original[max(hunk.start, len(bom)) : hunk.end]
        new = migrated[max(hunk.new_start, len(bom)) : hunk.new_end]
        at = max(hunk.end, at)
        if new:
            out += [ASCEND_ONLY, nl, _ended(new, nl)]
            out += [OTHERWISE, nl, _ended(old, nl)] if old else []
        else:
            out += [CUDA_ONLY, nl, _ended(old, nl)]
        out += [END, nl]
    out.append(original[at:])
    return b"".join(out)


def _ended(text: bytes, nl: bytes) -> bytes:
    return text if text.endswith(b"\n") else text + nl


def _hunks(original: bytes, edits: Sequence[AppliedEdit]) -> list[Hunk]:
    """Ranges of lines around the edits, grown to where guards can stand, each once."""
    shifts: list[tuple[int, int, int]] = []  # start, end of an edit, and how much longer it made it
    for edit in sorted(edits, key=lambda e: (e.span.start, e.span.end)):
        start, end = edit.span.start, edit.span.end
        shifts.append((start, end, edit.length - (end - start)))
    ranges = [(line_start(original, s), next_line(original, e)) for s, e, _ in shifts]
    whole = grown(original, ranges)

    def moved(at: int, *, behind: bool) -> int:
        """Where a line's start went; ``behind`` counts insertions right there as before it."""
        return at + sum(d for s, e, d in shifts if e < at or (e == at and (s < at or behind)))

    return [Hunk(a, b, moved(a, behind=False), moved(b, behind=False)) for a, b in whole]


def _trimmed(hunk: Hunk, original: bytes, migrated: bytes) -> Hunk:
    """The hunk without the lines that both sides begin or end with."""
    old = original[hunk.start : hunk.end].splitlines(keepends=True)
    new = migrated[hunk.new_start : hunk.new_end].splitlines(keepends=True)
    bad = no_guard_here(original)
    first, start = 0, hunk.start
    while first < min(len(old), len(new)) and _alike(old[first], new[first]):
        if start + len(old[first]) in bad:
            break
        start += len(old[first])
        first += 1
    last, end = 0, hunk.end
    while last < min(len(old), len(new)) - first and _alike(old[-1 - last], new[-1 - last]):
        if end - len(old[-1 - last]) in bad:
            break
        end -= len(old[-1 - last])
        last += 1
    cut = end - hunk.end
    return Hunk(start, end, hunk.new_start + start - hunk.start, hunk.new_end + cut)


def _alike(old: bytes, new: bytes) -> bool:
    """The same whole line, and none that a pair of directives needs."""
    return old == new and old.endswith(b"\n") and not _PAIRED.match(old)
