"""Tokens and types of IR text: the lowest layer of :mod:`migrate.ir.parser`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from migrate.ir.types import (
    SCALARS,
    VECTORS,
    VOID,
    Array,
    Pointer,
    Space,
    Struct,
    Type,
)


class IrSyntaxError(ValueError):
    """IR text is not well formed."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text with its line; ``kind`` is number, int, string, name, op or end."""

    text: str
    line: int
    kind: str


_TOKEN = re.compile(
    r"""(?P<space>[ \t]+)|(?P<newline>\n)|(?P<comment>\#[^\n]*)
    |(?P<number>-?(?:inf|nan|\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?=:))
    |(?P<int>-?\d+)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<name>[A-Za-z_][A-Za-z_0-9]*)
    |(?P<op>->|\.\[|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>=!~&|^?:(){}\[\],.@])""",
    re.VERBOSE,
)


def tokens_of(text: str) -> list[Token]:
    """The tokens of a text, ending with one of kind ``end``. Raises :class:`IrSyntaxError`."""
    out: list[Token] = []
    line, at = 1, 0
    while at < len(text):
        m = _TOKEN.match(text, at)
        if m is None or m.lastgroup is None:
            raise IrSyntaxError(f"line {line}: unexpected {text[at]!r}")
        at = m.end()
        if m.lastgroup == "newline":
            line += 1
        elif m.lastgroup not in ("space", "comment"):
            out.append(Token(m.group(), line, m.lastgroup))
    out.append(Token("", line, "end"))
    return out


SPACES = {s.value: s for s in Space}
"""Address spaces by name."""


class TokenReader:
    """A cursor over the tokens, and what every construct is made of: names, numbers, types."""

    def __init__(self, text: str) -> None:
        self._tokens = tokens_of(text)
        self._at = 0

    # --- tokens

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _fail(self, wanted: str) -> IrSyntaxError:
        return IrSyntaxError(f"line {self._next.line}: expected {wanted}, got {self._next.text!r}")

    def _take(self, text: str | None = None, kind: str | None = None) -> str:
        t = self._next
        if (text is not None and t.text != text) or (kind is not None and t.kind != kind):
            raise self._fail(repr(text) if text is not None else str(kind))
        self._at += 1
        return t.text

    def _accept(self, text: str) -> bool:
        if self._next.text == text and self._next.kind != "string":
            self._at += 1
            return True
        return False

    def _name(self) -> str:
        return self._take(kind="name")

    def _string(self) -> str:
        value = json.loads(self._take(kind="string"))
        if not isinstance(value, str):
            raise self._fail("a string")
        return value

    def _int(self) -> int:
        return int(self._take(kind="int"))

    def _close_angle(self) -> None:
        t = self._next
        if t.text == ">>":
            self._tokens[self._at] = Token(">", t.line, "op")
            return
        self._take(">")

    # --- types

    def type(self) -> Type:
        """Read a type."""
        name = self._name()
        if name in SCALARS:
            return SCALARS[name]
        if name in VECTORS:
            return VECTORS[name]
        if name == "void":
            return VOID
        if name == "ptr":
            return self._pointer()
        if name == "array":
            self._take("<")
            element = self.type()
            self._take(",")
            length = self._int()
            self._close_angle()
            return Array(element, length)
        return Struct(name)

    def _pointer(self) -> Pointer:
        self._take("<")
        space = SPACES[self._name()]
        const = self._accept("const")
        restrict = self._accept("restrict")
        self._take(",")
        pointee = self.type()
        self._close_angle()
        return Pointer(pointee, space, const, restrict)

    def _angle_type(self) -> Type:
        self._take("<")
        kind = self.type()
        self._close_angle()
        return kind
