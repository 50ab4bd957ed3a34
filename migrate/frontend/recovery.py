"""Functions whose braces do not balance are taken out, so that the rest of the file is read.

After a missing brace the parser takes every later function for a part of the broken one, and after
one too many it stops. A function that begins at the start of a line while another is still open
tells where the broken one ends. Its text becomes blanks of the same length: offsets stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from migrate.core.cpp_text import Token, tokens

_HEADS = frozenset({
    "__global__", "template", "__device__", "__host__", "static", "extern", "inline", "void", "int",
    "float", "double", "bool", "struct", "class", "namespace", "using", "typedef", "enum", "auto",
    "constexpr", "__constant__", "unsigned", "long", "char", "size_t", "const",
})  # fmt: skip
_NESTED_ARGUMENTS = re.compile(rb"(?:[A-Za-z_]\w*\s*<\s*(?:[\w:]+\s*,\s*)*){20}")
_SCOPES = frozenset({"namespace", "struct", "class", "union", "enum"})


@dataclass(frozen=True, slots=True)
class Blanked:
    """A range of the original text that the parser does not see."""

    start: int
    end: int


@dataclass(slots=True)
class _Scan:
    """Walks the tokens; ``stack`` holds for each open brace whether it is a scope's own."""

    text: bytes
    stack: list[bool] = field(default_factory=list)
    head: int | None = None
    words: list[str] = field(default_factory=list)
    last: Blanked | None = None
    broken: list[Blanked] = field(default_factory=list)

    def run(self, found: Iterable[Token]) -> tuple[Blanked, ...]:
        for token in found:
            self._one(token)
        if self._in_function() and self.head is not None:
            self.broken.append(Blanked(self.head, len(self.text)))
        return tuple(self.broken)

    def _in_function(self) -> bool:
        return bool(self.stack) and not self.stack[-1]

    def _one(self, token: Token) -> None:
        fresh = token.start == 0 or self.text[token.start - 1 : token.start] == b"\n"
        if fresh and self._in_function() and token.text in _HEADS and self.head is not None:
            self.broken.append(Blanked(self.head, token.start))
            while self._in_function():
                self.stack.pop()
            self._begin()
        if token.kind == "directive":
            return
        if token.text == "{":
            is_scope = not self._in_function() and self._opens_scope()
            self.stack.append(is_scope)
            if is_scope:
                self._begin()
        elif token.text == "}":
            self._close(token)
        elif not self._in_function():
            if token.text == ";":
                self._begin()
            else:
                self.head = token.start if self.head is None else self.head
                self.words.append(token.text)

    def _begin(self) -> None:
        self.head = None
        self.words = []

    def _opens_scope(self) -> bool:
        if "(" in self.words:
            return False
        return bool(_SCOPES & set(self.words)) or self.words[:1] == ["extern"]

    def _close(self, token: Token) -> None:
        if not self.stack:
            start = token.start if self.last is None else self.last.start
            self.broken.append(Blanked(start, token.end))
            self._begin()
            return
        was_scope = self.stack.pop()
        if not was_scope and not self._in_function():
            self.last = Blanked(token.start if self.head is None else self.head, token.end)
            self._begin()


def deep_arguments(text: bytes) -> int | None:
    """Where template arguments nest over 20 deep (``a<b<c<...``), if they do.

    When such names are not declared the parser tries each level as a comparison as well: its time
    doubles with every level, to seconds at 20 and hours at 40, and nothing stops it.
    """
    found = _NESTED_ARGUMENTS.search(text)
    return None if found is None else found.start()


def unbalanced(text: bytes, skipped: tuple[tuple[int, int], ...]) -> tuple[Blanked, ...]:
    """Functions with a brace too few or too many; ``skipped`` are ranges no compiler sees."""
    seen = (t for t in tokens(text) if not any(s <= t.start < e for s, e in skipped))
    return _Scan(text).run(seen)


def blanked(text: bytes, ranges: tuple[Blanked, ...]) -> bytes:
    """The text with the ranges overwritten by blanks; line ends stay."""
    out = bytearray(text)
    for r in ranges:
        for i in range(r.start, r.end):
            if out[i] not in b"\r\n":
                out[i] = 0x20
    return bytes(out)
