"""The edits of one build file, and what is left of CUDA in it when they are done.

A line that still speaks of CUDA is reported, so what no rule covers is never silently kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from migrate.core.artifact import AppliedEdit, GeneratedFile
from migrate.core.codes import build as codes
from migrate.core.cpp_text import newline_of
from migrate.core.diagnostics import Code, Diagnostic, Outcome, Sink
from migrate.core.edits import Edit, apply_edits
from migrate.core.span import span_of

_CUDA = re.compile(
    r"\w*(?:cuda|nvcc|cudnn|cublas|cusparse|cusolver|cufft|curand|nccl|nvrtc|nvtx|cupti)\w*"
    r"|\b(?:sm|compute)_\d+\w*|-gencode\b|\.cu\b"
    r"|-X(?:compiler|ptxas|nvlink|cudafe|fatbin)\b|-use_fast_math\b|-lineinfo\b|-maxrregcount\b"
    r"|-expt-\w+",
    re.IGNORECASE,
)
_SWITCH = re.compile(r"(?:ENABLE|USE|WITH|BUILD)_\w+")
"""Names that a project gives to its own switches, by custom."""


@dataclass(slots=True)
class Sheet:
    """Edits of one file. Offsets are bytes; ``text`` has one character a byte.

    ``shown`` is the file as the user wrote it. ``settled`` are ranges in which a word of CUDA needs
    no report: comments, messages, names of the project's own.
    """

    path: PurePosixPath
    shown: str
    source: bytes
    sink: Sink
    text: str = field(init=False)
    edits: list[Edit] = field(default_factory=list)
    settled: list[tuple[int, int]] = field(default_factory=list)
    newline: str = field(init=False)

    def __post_init__(self) -> None:
        self.text = self.source.decode("latin-1")
        self.newline = newline_of(self.source).decode()

    def replace(self, start: int, end: int, text: str) -> None:
        """New text for a range; nothing is recorded where it says the same."""
        if self.text[start:end] != text or start == end:
            new = text.replace("\n", self.newline).encode("latin-1", "replace")
            self.edits.append(Edit(start, end, new))

    def remove_words(self, start: int, end: int) -> None:
        """Take out a range with the blanks in front of it, or behind it at a line's beginning."""
        text = self.text
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end) + 1 or len(text)
        if not text[first:start].strip() and not text[end:last].strip() and self._free(first, last):
            self.edits.append(Edit(first, last, b""))
            return
        before = start
        while before > 0 and text[before - 1] in " \t":
            before -= 1
        if before < start and text[before - 1 : before] not in ("\n", "\r", "", "(", ":"):
            if self._free(before, start):
                self.edits.append(Edit(before, end, b""))
                return
        after = end
        while text[after : after + 1] in (" ", "\t"):
            after += 1
        self.edits.append(Edit(start, after if self._free(end, after) else end, b""))

    def take_out(self, start: int, end: int) -> None:
        """Take out a range, less what another edit took already."""
        for edit in self.edits:
            if edit.start < end and start < edit.end:
                start = max(start, edit.end) if edit.start <= start else start
                end = min(end, edit.start) if edit.start > start else end
        if start < end:
            self.edits.append(Edit(start, end, b""))

    def remove_lines(self, start: int, end: int) -> None:
        """Take out a range, with its whole lines where nothing else stands on them."""
        first = self.text.rfind("\n", 0, start) + 1
        last = self.text.find("\n", end)
        last = len(self.text) if last < 0 else last + 1
        if self.text[first:start].strip() or self.text[end:last].strip():
            self.edits.append(Edit(start, end, b""))
        else:
            self.edits.append(Edit(first, last, b""))

    def _free(self, start: int, end: int) -> bool:
        return not any(e.start < end and start < e.end for e in self.edits)

    def settle(self, start: int, end: int) -> None:
        """A range was looked at and is right as it is."""
        self.settled.append((start, end))

    def report(self, code: Code, outcome: Outcome, cause: str, start: int, end: int) -> None:
        """A finding about a range."""
        span = span_of(self.shown, self.source, start, end)
        self.sink.report(Diagnostic(code, outcome, cause, span))

    def leave(self, cause: str, start: int, end: int) -> None:
        """Something that no rule covers: it stays, and is reported."""
        self.settle(start, end)
        self.report(codes.NOT_UNDERSTOOD, Outcome.WEAKER, f"{cause}; it is kept", start, end)

    def finish(self, own_names: frozenset[str] = frozenset()) -> GeneratedFile | None:
        """The edited file; none when nothing changed. Reports what is left of CUDA.

        ``own_names`` are names that the project itself gave.
        """
        self._leftovers(own_names)
        if not self.edits:
            return None
        edited = apply_edits(self.source, self.edits)
        applied = tuple(
            AppliedEdit(span_of(self.shown, self.source, e.start, e.end), len(e.text))
            for e, _ in edited.placed
        )
        return GeneratedFile(self.path, edited.text, origin=self.shown, edits=applied)

    def _leftovers(self, own_names: frozenset[str]) -> None:
        seen: set[int] = set()
        taken = [(e.start, e.end) for e in self.edits] + self.settled
        for hit in _CUDA.finditer(self.text):
            inside = any(a <= hit.start() and hit.end() <= b for a, b in taken)
            word = _word(self.text, hit.start(), hit.end())
            if inside or word in own_names or _SWITCH.fullmatch(word):
                continue
            line = self.text.count("\n", 0, hit.start())
            if line not in seen:
                seen.add(line)
                self.report(
                    codes.NOT_UNDERSTOOD,
                    Outcome.WEAKER,
                    f"no rule covers {hit.group()!r} here; it is kept",
                    hit.start(),
                    hit.end(),
                )


def _word(text: str, start: int, end: int) -> str:
    """The name around a range: letters, digits, ``_``, ``-``, ``.`` and ``::``."""
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_-.:"):
        start -= 1
    while end < len(text) and (text[end].isalnum() or text[end] in "_-.:"):
        end += 1
    return text[start:end]
