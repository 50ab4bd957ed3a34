"""Marks where device code turns a value into an integer, so that the conversion is the device's.

A device saturates a float that is out of the integer's range and turns NaN into 0 (PTX ISA, cvt);
C++ leaves that undefined, and what a host compiler makes of it is something else: 4294967296.0f to
``unsigned`` gives 0. Values are wrapped in ``::cuda_emu::converted<T>`` (``emu/conversions.h``),
which passes on everything but a float that becomes an integer of 32 or 64 bits.

==================================  ==================================================
``(int)x``  ``int(x)``              ``(int)::cuda_emu::converted<int>(x)``
``static_cast<int>(x)``             the same inside
``unsigned a = s[i], b = t;``       ``unsigned a = ::cuda_emu::converted<decltype(a)>(s[i]), ...``
``a = s[i];``  ``p[i] = x;``        the same, where ``a`` or ``p[i]`` was declared an integer
==================================  ==================================================

No types are known here, only words, so everything that cannot be delimited without them stays as it
is: arguments and returned values, members, compound assignments, template arguments in the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from migrate.emulation.cuda_structure import parameter_list
from migrate.emulation.cuda_tokens import (
    CLOSING,
    OPENING,
    Token,
    TokenKind,
    match_forward,
    split_top_level,
)

_DIRECTIVE = re.compile(r"\n[ \t]*#")
_BUILT_IN = frozenset({"int", "unsigned", "long", "signed"})
_NAMED = frozenset(
    {"uint", "ulong", "size_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "ptrdiff_t"}
)
_QUALIFIERS = frozenset({"const", "volatile", "static", "register", "__restrict__"})
_SIMPLE = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "min", "max"})
_NO_OPERAND = frozenset({"sizeof", "alignof", "decltype", "operator", "noexcept", "typeid"})
_BEFORE_CAST = frozenset({"return", "case", "else", "do", "throw"})
_PREFIX = frozenset({"+", "-", "*", "!", "~", "&"})
_BEFORE_DECLARATION = frozenset({";", "{", "}", "(", ")", ":", "else", "__shared__"})
_BEFORE_BODY = frozenset({"const", "noexcept", "override", "final"})


@dataclass(frozen=True, slots=True)
class Conversion:
    """The value ``source[start:end]`` becomes a ``target``, which is C++ for a type."""

    start: int
    end: int
    target: str


def device_bodies(
    tokens: Sequence[Token], kernel_words: frozenset[str]
) -> Iterator[tuple[int, int, int]]:
    """Parameters and body of each function for the device: the indices of ``(``, ``{``, ``}``.

    A body inside another one (a closure) is a part of that one.
    """
    done = 0
    for at, token in enumerate(tokens):
        if at < done or (token.text != "__device__" and token.text not in kernel_words):
            continue
        opened = parameter_list(tokens, at + 1)
        if opened is None:
            continue
        body = match_forward(tokens, opened) + 1
        while body < len(tokens) and tokens[body].text in _BEFORE_BODY:
            body += 1
        if body >= len(tokens) or tokens[body].text != "{":
            continue
        end = match_forward(tokens, body)
        if end < len(tokens):
            yield opened, body, end
            done = end


@dataclass(slots=True)
class _Body:
    """One function: the names that were declared integers, or arrays of and pointers to them."""

    tokens: Sequence[Token]
    source: str
    integers: set[str] = field(default_factory=set)
    rows: set[str] = field(default_factory=set)
    found: list[Conversion] = field(default_factory=list)

    # -- what a value is --------------------------------------------------------------------------

    def plain(self, value: Sequence[Token]) -> bool:
        """Whether the words alone tell that a value is an integer already."""
        for at, token in enumerate(value):
            if token.kind is TokenKind.NUMBER:
                if any(c in ".eEpP" for c in token.text) and token.text[:2] not in ("0x", "0X"):
                    return False
            elif token.kind is TokenKind.IDENTIFIER:
                after = value[at - 1].text if at else ""
                known = self.integers | self.rows | _SIMPLE | _BUILT_IN | _NAMED
                if token.text not in known and (after != "." or token.text not in "xyz"):
                    return False
        return True

    def wrap(self, value: Sequence[Token], target: str) -> None:
        """Put the conversion around a value, unless it is one that needs or bears none."""
        texts = {t.text for t in value}
        if not value or _has_angles(value) or texts & {"{", ";", "<<<", "..."} or self.plain(value):
            return
        start, end = value[0].start, value[-1].end
        if _DIRECTIVE.search(self.source, start, end) is None:
            self.found.append(Conversion(start, end, target))

    # -- declarations and assignments -------------------------------------------------------------

    def parameters(self, opened: int) -> None:
        """Note the parameters that are integers."""
        close = match_forward(self.tokens, opened)
        for part in split_top_level(self.tokens[opened + 1 : close], angles=True):
            end = _type_end(part, 0)
            if end is not None:
                self.note(part[end:])

    def note(self, declarator: Sequence[Token]) -> str | None:
        """Remember what a declarator declares; the name of a plain integer."""
        at = 0
        while at < len(declarator) and declarator[at].text in ("*", "&", *_QUALIFIERS):
            at += 1
        if at >= len(declarator) or declarator[at].kind is not TokenKind.IDENTIFIER:
            return None
        name = declarator[at].text
        stars = sum(t.text == "*" for t in declarator[:at])
        following = declarator[at + 1].text if at + 1 < len(declarator) else ""
        if following == "(":
            return None
        if stars == 1 or following == "[":
            self.rows.add(name)
        elif stars == 0:
            self.integers.add(name)
            return name if at == 0 else None
        return None

    def declaration(self, at: int) -> int | None:
        """Declarations with the words of an integer type at ``at``; the index behind the type."""
        if at and self.tokens[at - 1].text not in _BEFORE_DECLARATION:
            return None
        first = _type_end(self.tokens, at)
        if first is None or self.tokens[first].kind is not TokenKind.IDENTIFIER:
            if first is not None and self.tokens[first].text in ("*", "&"):
                self.note(self.tokens[first : first + 4])
            return first
        end = _statement_end(self.tokens, first)
        constant = any(t.text == "constexpr" for t in self.tokens[max(0, at - 2) : at])
        parts = _parts(self.tokens[first:end])
        # A comma between template arguments looks like one between declarators.
        certain = not constant and not _has_angles(self.tokens[first:end])
        alone = end >= len(self.tokens) or self.tokens[end].text != ";"  # in a parameter list
        for part in parts[:1] if alone else parts:
            name = self.note(part)
            if name is not None and certain and len(part) > 2 and part[1].text == "=":
                self.wrap(part[2:], f"decltype({name})")
        return first

    def assignment(self, at: int) -> None:
        """``name = value;`` and ``name[i] = value;`` of an integer."""
        tokens = self.tokens
        if tokens[at - 1].text not in (";", "{", "}", ")", "else"):
            return
        behind = at + 1
        while behind < len(tokens) and tokens[behind].text == "[":
            behind = match_forward(tokens, behind) + 1
        wanted = self.rows if behind > at + 1 else self.integers
        if tokens[at].text not in wanted or behind + 1 >= len(tokens):
            return
        if tokens[behind].text != "=" or tokens[behind + 1].text == "=":
            return
        end = _statement_end(tokens, behind + 1)
        value = tokens[behind + 1 : end]
        if end < len(tokens) and tokens[end].text == ";" and len(_parts(value)) == 1:
            target = "".join(t.text for t in tokens[at:behind])
            self.wrap(value, f"decltype({target})")

    # -- casts ------------------------------------------------------------------------------------

    def cast(self, at: int) -> None:
        """``(int)x``, with the parenthesis at ``at``."""
        tokens = self.tokens
        end = _type_end(tokens, at + 1)
        if end is None or tokens[end].text != ")":
            return
        before = tokens[at - 1]
        is_name = before.kind is not TokenKind.PUNCTUATION and before.text not in _BEFORE_CAST
        if is_name or before.text in (")", "]", ">", ">>>"):
            return
        last = _operand_end(tokens, end + 1)
        if last is not None:
            self.wrap(tokens[end + 1 : last], _type_text(tokens[at + 1 : end]))

    def named_cast(self, at: int) -> None:
        """``static_cast<int>(x)``."""
        tokens = self.tokens
        end = _type_end(tokens, at + 2) if tokens[at + 1].text == "<" else None
        if end is not None and tokens[end].text == ">" and tokens[end + 1].text == "(":
            close = match_forward(tokens, end + 1)
            if len(_parts(tokens[end + 2 : close])) == 1:
                self.wrap(tokens[end + 2 : close], _type_text(tokens[at + 2 : end]))

    def call_cast(self, at: int) -> None:
        """``int(x)`` inside of an expression."""
        tokens = self.tokens
        before = tokens[at - 1].text
        if tokens[at + 1].text != "(" or before not in (*"=+-*/%(,[<?:&|", "return"):
            return
        close = match_forward(tokens, at + 1)
        inner = tokens[at + 2 : close]
        if inner and inner[0].text not in ("*", "&") and len(_parts(inner)) == 1:
            self.wrap(inner, tokens[at].text)

    def read(self, first: int, end: int) -> None:
        """Look at the tokens of the body."""
        for at in range(first, end):
            token = self.tokens[at]
            if token.text == "(":
                self.cast(at)
            elif token.text == "static_cast":
                self.named_cast(at)
            elif token.kind is TokenKind.IDENTIFIER:
                if token.text in _BUILT_IN or token.text in _NAMED:
                    self.call_cast(at)
                if self.declaration(at) is None:
                    self.assignment(at)


def _parts(tokens: Sequence[Token]) -> tuple[tuple[Token, ...], ...]:
    return split_top_level(tokens, angles=False)


def _has_angles(tokens: Sequence[Token]) -> bool:
    texts = {t.text for t in tokens}
    return "<" in texts and not texts.isdisjoint({">", ">>>"})


def _type_end(tokens: Sequence[Token], at: int) -> int | None:
    """Index behind the words of an integer type of 32 or 64 bits that start at ``at``."""
    named = built_in = False
    while at < len(tokens):
        text = tokens[at].text
        if text in ("short", "char", "double"):
            return None
        if text in _BUILT_IN and not named:
            built_in = True
        elif text in _NAMED and not named and not built_in:
            named = True
        elif text not in _QUALIFIERS:
            break
        at += 1
    return at if (named or built_in) and at < len(tokens) else None


def _type_text(tokens: Sequence[Token]) -> str:
    return " ".join(t.text for t in tokens)


def _statement_end(tokens: Sequence[Token], at: int) -> int:
    """Index of the ``;``, or of the bracket that closes what is around."""
    while at < len(tokens) and tokens[at].text != ";":
        if tokens[at].text in OPENING:
            at = match_forward(tokens, at)
        elif tokens[at].text in CLOSING:
            return at
        at += 1
    return min(at, len(tokens))


def _operand_end(tokens: Sequence[Token], at: int) -> int | None:
    """Index behind the operand of a cast; None when words do not tell where it ends."""
    while at < len(tokens) and tokens[at].text in _PREFIX:
        at += 1
    if at >= len(tokens) or tokens[at].text in _NO_OPERAND:
        return None
    if tokens[at].text == "(":
        inside = _type_end(tokens, at + 1)
        close = match_forward(tokens, at)
        if inside is not None and inside == close:
            return None  # a cast of a cast: the inner one is seen on its own
        at = close + 1
        if at < len(tokens) and tokens[at].kind is not TokenKind.PUNCTUATION:
            return None  # `(T)x`
    elif tokens[at].kind in (TokenKind.IDENTIFIER, TokenKind.NUMBER):
        at += 1
    else:
        return None
    while at < len(tokens):
        text = tokens[at].text
        if text in ("(", "["):
            at = match_forward(tokens, at) + 1
        elif text in (".", "->", "::"):
            at += 2
        elif text in ("{", "<<<"):
            return None
        elif text == "<":
            return None if _may_be_template(tokens, at) else at
        elif text in "+-" and at + 1 < len(tokens) and tokens[at + 1].text == text:
            return None  # `x++`
        else:
            return at
    return None


def _may_be_template(tokens: Sequence[Token], at: int) -> bool:
    """Whether the ``<`` at ``at`` can open template arguments of a call."""
    for index in range(at + 1, min(at + 40, len(tokens))):
        text = tokens[index].text
        if text in (">", ">>>"):
            return tokens[index + 1].text in ("(", "::", "{")
        if text in (";", "{", "}", "&", "|"):
            return False
    return False


def integer_conversions(
    source: str, tokens: Sequence[Token], kernel_words: frozenset[str]
) -> tuple[Conversion, ...]:
    """The conversions in a source with this code, outer before inner."""
    found: list[Conversion] = []
    for opened, body, end in device_bodies(tokens, kernel_words):
        function = _Body(tokens, source)
        function.parameters(opened)
        function.read(body + 1, end)
        found += function.found
    return tuple(sorted(found, key=lambda c: (c.start, -c.end)))
