"""Tokens of C++ source with their places, and edits that keep the line numbers.

Just enough of C++ to rewrite kernel launches and qualifiers before a plain compiler sees them:
comments, strings, raw strings, character literals and preprocessor lines are recognised, everything
else is identifiers, numbers and single punctuation characters (only ``::`` and ``->`` are joined).
``<`` and ``>`` are never joined, because ``<<<`` and ``>>>`` mean a launch and ``>>`` may close two
template argument lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

TokenKind = Literal["identifier", "number", "string", "punctuation", "directive"]

_PATTERN = re.compile(
    r"""
    (?P<space>\s+|\\\n)
  | (?P<comment>//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z))
  | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
  | (?P<number>\.?[0-9](?:'?[0-9A-Za-z_.]|(?<=[eEpP])[+-])*)
  | (?P<identifier>[A-Za-z_$][A-Za-z_0-9$]*)
  | (?P<punctuation>::|->|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"#(?:\\\r?\n|/\*.*?\*/|//[^\n]*|[^\n])*", re.DOTALL)

_CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Token:
    """A token: ``text`` is ``source[start:end]``; ``line`` counts from 1."""

    kind: TokenKind
    text: str
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces ``source[start:end]`` by ``text``; an insertion when the range is empty."""

    start: int
    end: int
    text: str


def tokenize(source: str) -> tuple[Token, ...]:
    """Split source text into tokens; white space and comments are left out."""
    tokens: list[Token] = []
    at = 0
    line = 1
    fresh_line = True
    while at < len(source):
        if fresh_line and source[at] == "#":
            match = _DIRECTIVE.match(source, at)
            assert match is not None
            tokens.append(Token("directive", match.group(), at, match.end(), line))
        else:
            match = _PATTERN.match(source, at)
            assert match is not None
            group = match.lastgroup if match.lastgroup != "mark" else "raw"
            match group:
                case "identifier" | "number" | "punctuation":
                    kind: TokenKind = group
                    tokens.append(Token(kind, match.group(), at, match.end(), line))
                    fresh_line = False
                case "raw" | "string":
                    tokens.append(Token("string", match.group(), at, match.end(), line))
                    fresh_line = False
                case _:
                    pass
        breaks = match.group().count("\n")
        if breaks and match.group()[-1:].isspace():
            fresh_line = True
        line += breaks
        at = match.end()
    return tuple(tokens)


def matching(tokens: tuple[Token, ...], index: int) -> int | None:
    """Index of the bracket that closes the one at ``index`` (``(``, ``[`` or ``{``), or None."""
    opening = tokens[index].text
    closing = _CLOSING[opening]
    depth = 0
    for i in range(index, len(tokens)):
        if tokens[i].kind != "punctuation":
            continue
        if tokens[i].text == opening:
            depth += 1
        elif tokens[i].text == closing:
            depth -= 1
            if depth == 0:
                return i
    return None


def matching_angle_backward(tokens: tuple[Token, ...], index: int) -> int | None:
    """Index of the ``<`` that the ``>`` at ``index`` closes, or None if it closes none."""
    depth = 0
    nested = 0
    for i in range(index, -1, -1):
        text = tokens[i].text
        if text in (")", "]"):
            nested += 1
        elif text in ("(", "["):
            nested -= 1
            if nested < 0:
                return None
        elif nested:
            continue
        elif text == ">":
            depth += 1
        elif text == "<":
            depth -= 1
            if depth == 0:
                return i
        elif text in ("{", "}", ";"):
            return None
    return None


def split_arguments(
    tokens: tuple[Token, ...], first: int, last: int
) -> tuple[tuple[int, int], ...]:
    """Ranges [begin, end) of token indices between the commas of ``tokens[first:last]``."""
    ranges: list[tuple[int, int]] = []
    depth = 0
    begin = first
    for i in range(first, last):
        text = tokens[i].text
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
        elif text == "," and depth == 0:
            ranges.append((begin, i))
            begin = i + 1
    if begin < last:
        ranges.append((begin, last))
    return tuple(ranges)


def apply_edits(source: str, edits: Iterable[Edit]) -> str:
    """Carry out edits that do not overlap; every edit keeps the number of lines it replaced."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.start < at:
            raise ValueError(f"edits overlap at offset {edit.start}")
        lost = source.count("\n", edit.start, edit.end) - edit.text.count("\n")
        parts += [source[at : edit.start], edit.text, "\n" * max(lost, 0)]
        at = edit.end
    parts.append(source[at:])
    return "".join(parts)
