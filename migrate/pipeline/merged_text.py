"""One file from its versions under several macro configurations.

An edit stands in the merged file when every configuration that reads its place made the same one:
a branch is edited by those that take it. Where they made different ones, the whole lines around
stand once for each configuration behind ``#if`` on its macros. So the text that a configuration's
preprocessor leaves of the merged file is that of its own version, line ends aside.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from migrate.core.cpp_text import newline_of
from migrate.core.edits import Edit
from migrate.core.guard_places import conditionals, grown, line_start, next_line, no_guard_here
from migrate.pipeline.macro_choice import Alternative, CannotMerge, Macro, choice

_BOM = b"\xef\xbb\xbf"
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Version:
    """What a configuration makes of a file: its edits, in order, and the ranges it leaves out."""

    macros: tuple[Macro, ...]
    edits: tuple[Edit, ...]
    skipped: tuple[Place, ...]

    def leaves_out(self, place: Place) -> bool:
        """True for text that this configuration does not read."""
        return any(a < place[0] and place[1] < b for a, b in self.skipped)

    def at(self, place: Place) -> tuple[bytes, ...]:
        """The edits of a place."""
        return tuple(e.text for e in self.edits if (e.start, e.end) == place)


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged text and its edits of the original as (start, end, length of the new text).

    ``anchors`` has, for each version, where its own text went: pairs of offsets.
    """

    text: bytes
    edits: tuple[tuple[int, int, int], ...]
    anchors: tuple[tuple[tuple[int, int], ...], ...]

    def moved(self, version: int, offset: int) -> int:
        """Where an offset of a version's text is in the merged text."""
        anchors = self.anchors[version]
        at = bisect_right(anchors, (offset, len(self.text))) - 1
        return offset + anchors[at][1] - anchors[at][0] if at >= 0 else offset


def merge(original: bytes, versions: Sequence[Version], unsafe: frozenset[str]) -> Merged:
    """Merge the versions of a file.

    ``unsafe`` are macros that the sources define or undefine themselves, on which nothing can be
    decided. Raises :class:`CannotMerge`.
    """
    agreed, regions = _places(original, versions)
    writer = _Writer(original, versions, unsafe)
    for place in sorted([*agreed, *regions], key=lambda p: (p, p in regions)):
        if place in regions:
            writer.region(place)
        else:
            writer.agreed(place, agreed[place])
    return writer.done()


def _places(
    original: bytes, versions: Sequence[Version]
) -> tuple[dict[Place, tuple[bytes, ...]], list[Place]]:
    """Places whose edit is agreed on, and whole lines that stand once for each configuration."""
    agreed: dict[Place, tuple[bytes, ...]] = {}
    seeds: list[Place] = []
    unread: dict[Place, tuple[bytes, ...]] = {}
    for place in sorted({(e.start, e.end) for v in versions for e in v.edits}):
        readers = [v for v in versions if not v.leaves_out(place)]
        made = {v.at(place) for v in readers or versions}
        if not readers:
            unread[place] = next(v.at(place) for v in versions if v.at(place))
        elif len(made) == 1 and () in made:
            continue  # only versions that do not read it edited it
        elif len(made) == 1:
            agreed[place] = made.pop()
        else:
            seeds.append(_lines(original, place, made))
    for place, texts in unread.items():
        if not any(a <= place[1] and place[0] <= b for a, b in agreed):
            agreed[place] = texts
    regions = grown(original, seeds)
    while touched := [p for p in agreed if _belongs(p, agreed[p], regions)]:
        seeds += [_lines(original, p, {agreed.pop(p)}) for p in touched]
        regions = grown(original, [*seeds, *regions])
    bom = len(_BOM) if original.startswith(_BOM) else 0
    return agreed, [(max(a, bom), max(b, bom)) for a, b in regions]


def _belongs(place: Place, texts: tuple[bytes, ...], regions: Iterable[Place]) -> bool:
    """Whether an edit is part of a region: what stands right before it is, without a line end."""
    start, end = place
    ended = all(t.endswith(b"\n") for t in texts)
    return any(
        a <= start <= b if start == end else (start < b and a < end) or (end == a and not ended)
        for a, b in regions
    )


def _lines(original: bytes, place: Place, texts: Iterable[tuple[bytes, ...]]) -> Place:
    """The whole lines that an edit is about; none for whole lines that are inserted."""
    start, end = place
    mark = len(_BOM) if original.startswith(_BOM) else 0
    fresh = end == mark or original[end - 1 : end] == b"\n"
    whole = all(t.endswith(b"\n") for found in texts for t in found)
    return max(line_start(original, start), mark), end if fresh and whole else next_line(
        original, end
    )


class _Writer:
    """Writes the merged text from the front to the back."""

    def __init__(
        self, original: bytes, versions: Sequence[Version], unsafe: frozenset[str]
    ) -> None:
        self._original = original
        self._versions = versions
        self._unsafe = unsafe
        self._nl = newline_of(original)
        self._parts: list[bytes] = []
        self._length = 0
        self._at = 0
        self._edits: list[tuple[int, int, int]] = []
        self._own = [0] * len(versions)
        self._used = [0] * len(versions)
        self._anchors: list[list[tuple[int, int]]] = [[(0, 0)] for _ in versions]

    def agreed(self, place: Place, texts: tuple[bytes, ...]) -> None:
        """An edit that every configuration makes that reads its place."""
        self._plain(place[0])
        text = b"".join(texts)
        for i in range(len(self._versions)):
            self._consume(i, place)
        self._put(text)
        self._edited(place, len(text))

    def region(self, place: Place) -> None:
        """Lines that stand once for each configuration, as far as they differ."""
        self._plain(place[0])
        readers = [i for i, v in enumerate(self._versions) if not v.leaves_out(place)]
        texts = {i: self._consume(i, place) for i in range(len(self._versions))}
        first, last = _shared([texts[i] for i in readers])
        some = texts[readers[0]]
        start = self._length
        self._put(some[:first])
        middles = [
            Alternative(self._versions[i].macros, texts[i][first : len(texts[i]) - last])
            for i in readers
        ]
        joined = _comments([m.text for m in middles])
        placed = (0,) * len(readers)
        if joined is None:
            joined, placed = choice(middles, self._unsafe, self._nl, place)
        for i, within in zip(readers, placed, strict=True):
            own = self._own[i] - len(texts[i]) + first
            self._anchors[i].append((own, self._length + within))
        self._put(joined)
        for i in readers:
            self._anchors[i].append((self._own[i] - last, self._length))
        self._put(some[len(some) - last :])
        self._edited(place, self._length - start)

    def done(self) -> Merged:
        """The whole file."""
        self._plain(len(self._original))
        anchors = tuple(tuple(a) for a in self._anchors)
        return Merged(b"".join(self._parts), tuple(self._edits), anchors)

    def _plain(self, end: int) -> None:
        """Text of the original up to ``end``."""
        for i, version in enumerate(self._versions):
            edits = version.edits
            self._own[i] += end - self._at
            while self._used[i] < len(edits) and edits[self._used[i]].start < end:
                edit = edits[self._used[i]]
                self._own[i] += len(edit.text) - (edit.end - edit.start)
                self._used[i] += 1
        self._put(self._original[self._at : end])
        self._at = end
        for i, own in enumerate(self._own):
            self._anchors[i].append((own, self._length))

    def _consume(self, i: int, place: Place) -> bytes:
        """The text that a version has in a place."""
        start, end = place
        edits = self._versions[i].edits
        parts: list[bytes] = []
        at = start
        while self._used[i] < len(edits) and edits[self._used[i]].end <= end:
            edit = edits[self._used[i]]
            parts += (self._original[at : edit.start], edit.text)
            at = edit.end
            self._used[i] += 1
        parts.append(self._original[at:end])
        text = b"".join(parts)
        self._own[i] += len(text)
        return text

    def _edited(self, place: Place, length: int) -> None:
        self._at = place[1]
        self._edits.append((*place, length))
        for i, own in enumerate(self._own):
            self._anchors[i].append((own, self._length))

    def _put(self, text: bytes) -> None:
        self._parts.append(text)
        self._length += len(text)


def _comments(texts: Sequence[bytes]) -> bytes | None:
    """The lines of all texts, each once, when they are nothing but ``//`` comments."""
    lines: list[bytes] = []
    for text in texts:
        for line in text.splitlines(keepends=True):
            bare = line.strip()
            if bare and (not bare.startswith(b"//") or bare.endswith(b"\\")):
                return None
            if not line.endswith(b"\n"):
                return None
    for text in texts:
        at = 0
        for line in text.splitlines(keepends=True):
            if line in lines:
                at = lines.index(line) + 1
            else:
                lines.insert(at, line)
                at += 1
    return b"".join(lines)


def _shared(texts: Sequence[bytes]) -> tuple[int, int]:
    """How many bytes all texts begin with, and end with, up to where a guard can stand."""
    cuts = [_cuts(t) for t in texts]
    if any(c is None for c in cuts):
        raise CannotMerge("the directives of the lines do not pair")
    found = [c or frozenset() for c in cuts]
    first = max(
        c for c in found[0]
        if all(c in cut and t.startswith(texts[0][:c]) for cut, t in zip(found, texts, strict=True))
    )  # fmt: skip
    shortest = min(len(t) for t in texts)
    last = 0
    for c in found[0]:
        tail = texts[0][c:]
        if len(tail) <= shortest - first and all(
            t.endswith(tail) and len(t) - len(tail) in cut
            for cut, t in zip(found, texts, strict=True)
        ):
            last = max(last, len(tail))
    return first, last


_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(?:if|endif)", re.MULTILINE)


def _cuts(text: bytes) -> frozenset[int] | None:
    """Line starts of a text, its end among them, where a guard can stand outside of conditionals.

    None where the conditionals of the text do not pair.
    """
    groups = conditionals(text)
    if len(_DIRECTIVE.findall(text)) != 2 * len(groups):
        return None
    bad = no_guard_here(text)
    starts = {0, len(text)} | {i + 1 for i, c in enumerate(text) if c == 10}
    return frozenset(s for s in starts - bad if not any(g[0] < s <= g[-1] for g in groups)) | {
        0,
        len(text),
    }
