"""A small C++ lexer for CUDA sources: exact offsets, directives set apart, nothing interpreted.

It knows what it must to edit a source safely: comments, strings (raw ones too), preprocessor lines
with continuations, ``<<<`` and ``>>>``. Templates and declarations are the rewriter's business.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum


class TokenKind(Enum):
    """What a token is, as far as editing needs to know."""

    IDENTIFIER = "identifier"
    NUMBER = "number"
    STRING = "string"
    PUNCTUATION = "punctuation"


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its text is ``source[start:end]``."""

    kind: TokenKind
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Include:
    """An ``#include`` line; ``quoted`` is false for ``<...>``."""

    name: str
    quoted: bool
    start: int


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro definition; ``plain`` if it takes no parameters."""

    name: str
    plain: bool
    body: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Conditional:
    """``if``, ``else`` or ``endif`` met before the token with index ``before``."""

    what: str
    before: int


@dataclass(frozen=True, slots=True)
class TokenStreams:
    """The tokens of a file: its code, and each macro definition on its own."""

    code: tuple[Token, ...]
    macros: tuple[Macro, ...]
    includes: tuple[Include, ...]
    conditionals: tuple[Conditional, ...]


_TOKEN = re.compile(
    r"""
    (?P<space>(?:[ \t\f\v\r]|\\\r?\n)+)
  | (?P<newline>\n)
  | (?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?\*/)
  | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)")
  | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9a-zA-Z]|[\w.])*)
  | (?P<identifier>[A-Za-z_$][\w$]*)
  | (?P<punctuation><<<|>>>|::|->|\#\#|\.\.\.|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_INCLUDE = re.compile(r'#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)')
_CONDITIONALS = {
    "if": "if",
    "ifdef": "if",
    "ifndef": "if",
    "else": "else",
    "elif": "else",
    "elifdef": "else",
    "elifndef": "else",
    "endif": "endif",
}
_KINDS = {
    "identifier": TokenKind.IDENTIFIER,
    "number": TokenKind.NUMBER,
    "string": TokenKind.STRING,
    "raw": TokenKind.STRING,
    "punctuation": TokenKind.PUNCTUATION,
}


@dataclass(slots=True)
class _Lexer:
    """State of one pass over a file."""

    source: str
    code: list[Token] = field(default_factory=list)
    macros: list[Macro] = field(default_factory=list)
    includes: list[Include] = field(default_factory=list)
    conditionals: list[Conditional] = field(default_factory=list)
    line: list[Token] = field(default_factory=list)
    in_directive: bool = False
    fresh_line: bool = True

    def run(self) -> TokenStreams:
        for match in _TOKEN.finditer(self.source):
            kind = match.lastgroup if match.lastgroup != "delimiter" else "raw"
            if kind == "newline":
                self._end_line()
            elif kind in ("space", "comment"):
                continue
            else:
                self._add(Token(_KINDS[kind or ""], match[0], match.start(), match.end()))
        self._end_line()
        return TokenStreams(
            tuple(self.code), tuple(self.macros), tuple(self.includes), tuple(self.conditionals)
        )

    def _add(self, token: Token) -> None:
        if self.fresh_line and token.text == "#":
            self.in_directive = True
        self.fresh_line = False
        (self.line if self.in_directive else self.code).append(token)

    def _end_line(self) -> None:
        self.fresh_line = True
        if self.in_directive:
            self._finish_directive()
        self.in_directive = False
        self.line = []

    def _finish_directive(self) -> None:
        if len(self.line) < 2:
            return
        name = self.line[1].text
        if name == "include":
            match = _INCLUDE.match(self.source, self.line[0].start)
            if match:
                quoted = match[1] is not None
                self.includes.append(Include(match[1] or match[2], quoted, match.start()))
        elif name == "define" and len(self.line) > 2:
            self.macros.append(_macro(self.line[2:]))
        elif name in _CONDITIONALS:
            self.conditionals.append(Conditional(_CONDITIONALS[name], len(self.code)))


def _macro(line: Sequence[Token]) -> Macro:
    """A definition from its name on. The parameters follow the name without a space."""
    name = line[0].text
    if len(line) == 1 or line[1].text != "(" or line[1].start != line[0].end:
        return Macro(name, True, tuple(line[1:]))
    close = next((at for at, token in enumerate(line) if token.text == ")"), len(line))
    return Macro(name, False, tuple(line[close + 1 :]))


def lex(source: str) -> TokenStreams:
    """Splits ``source`` into tokens. Never fails: an unclosed string becomes punctuation."""
    return _Lexer(source).run()


OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {")": "(", "]": "[", "}": "{"}


def match_forward(tokens: Sequence[Token], at: int) -> int:
    """Index of the bracket that closes the one at ``at``; ``len(tokens)`` if none does."""
    depth = 0
    for index in range(at, len(tokens)):
        text = tokens[index].text
        if text in OPENING:
            depth += 1
        elif text in CLOSING:
            depth -= 1
            if depth == 0:
                return index
    return len(tokens)


def match_backward(tokens: Sequence[Token], at: int) -> int:
    """Index of the bracket that opens the one at ``at``; -1 if none does."""
    depth = 0
    for index in range(at, -1, -1):
        text = tokens[index].text
        if text in CLOSING:
            depth += 1
        elif text in OPENING:
            depth -= 1
            if depth == 0:
                return index
    return -1


def angle_backward(tokens: Sequence[Token], at: int) -> int:
    """Index of the ``<`` that opens the template arguments closed at ``at``; -1 if none does."""
    depth = 0
    index = at
    while index >= 0:
        text = tokens[index].text
        if text in CLOSING:
            index = match_backward(tokens, index)
        elif text in (">", ">>>"):
            depth += len(text)
        elif text == "<":
            depth -= 1
            if depth <= 0:
                return index
        elif text in (";", "{", "}"):
            return -1
        index -= 1
    return -1


def split_top_level(tokens: Sequence[Token], angles: bool) -> tuple[tuple[Token, ...], ...]:
    """Splits at commas outside brackets, and outside ``<...>`` too when ``angles`` is set."""
    parts: list[tuple[Token, ...]] = []
    current: list[Token] = []
    depth = angle = 0
    for token in tokens:
        if token.text in OPENING:
            depth += 1
        elif token.text in CLOSING:
            depth -= 1
        elif angles and depth == 0 and token.text == "<":
            angle += 1
        elif angles and depth == 0 and token.text in (">", ">>>"):
            angle = max(0, angle - len(token.text))
        elif token.text == "," and depth == 0 and angle == 0:
            parts.append(tuple(current))
            current = []
            continue
        current.append(token)
    if current or parts:
        parts.append(tuple(current))
    return tuple(parts)
