"""Tokens of C++ source bytes with their places, for edits that must not touch comments or strings.

Works on bytes, so files in any encoding that keeps ASCII (UTF-8, GBK, Latin-1) pass unharmed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    rb"""
    (?P<space>\s+|\\\r?\n)
  | (?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
  | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
  | (?P<number>\.?[0-9](?:'?[0-9A-Za-z_.]|(?<=[eEpP])[+-])*)
  | (?P<word>[A-Za-z_$][A-Za-z_0-9$]*)
  | (?P<mark_>::|->|.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """``text`` is ``source[start:end]``; ``kind`` is word, number, string, mark or directive."""

    kind: str
    text: str
    start: int
    end: int


def tokens(source: bytes, start: int = 0, end: int | None = None) -> tuple[Token, ...]:
    """The tokens of a range; white space and comments are left out.

    A preprocessor line is one token of kind ``directive`` (with its continuation lines).
    """
    return tuple(_scan(source, start, len(source) if end is None else end))


def _scan(source: bytes, at: int, stop: int) -> Iterator[Token]:
    fresh = at == 0 or source[at - 1 : at] == b"\n"
    while at < stop:
        if fresh and source[at : at + 1] == b"#":
            end = _directive_end(source, at, stop)
            yield Token("directive", _show(source, at, end), at, end)
            at = end
            continue
        hit = _TOKEN.match(source, at, stop)
        if hit is None:
            return
        kind = hit.lastgroup
        match kind:
            case "space" | "comment":
                if b"\n" in hit.group():
                    fresh = True
            case "word" | "number" | "string":
                yield Token(kind, _show(source, at, hit.end()), at, hit.end())
                fresh = False
            case _:
                name = "string" if hit.group().endswith(b'"') else "mark"
                yield Token(name, _show(source, at, hit.end()), at, hit.end())
                fresh = False
        at = hit.end()


def _show(source: bytes, start: int, end: int) -> str:
    return source[start:end].decode("latin-1")


def _directive_end(source: bytes, at: int, stop: int) -> int:
    """Where a preprocessor line ends: before its line break, comments and continuations seen."""
    while at < stop:
        two = source[at : at + 2]
        if two == b"/*":
            close = source.find(b"*/", at + 2, stop)
            at = stop if close < 0 else close + 2
        elif source[at : at + 1] == b"\\" and source[at + 1 : at + 2] in (b"\n", b"\r"):
            at += 3 if source[at + 1 : at + 3] == b"\r\n" else 2
        elif source[at : at + 1] == b"\n":
            return at - 1 if source[at - 1 : at] == b"\r" else at
        else:
            at += 1
    return stop


_CLOSE = {"(": ")", "[": "]", "{": "}"}


def closing(found: tuple[Token, ...], index: int) -> int | None:
    """Index of the bracket that closes the one at ``index``, or nothing."""
    opening = found[index].text
    depth = 0
    for i in range(index, len(found)):
        if found[i].kind != "mark":
            continue
        if found[i].text == opening:
            depth += 1
        elif found[i].text == _CLOSE[opening]:
            depth -= 1
            if depth == 0:
                return i
    return None


def split_commas(found: tuple[Token, ...], first: int, last: int) -> tuple[tuple[int, int], ...]:
    """Ranges of token indices between the top-level commas of ``found[first:last]``.

    Angle brackets count as brackets, which suits parameter lists (no comparison stands there).
    """
    ranges: list[tuple[int, int]] = []
    depth, begin = 0, first
    for i in range(first, last):
        text = found[i].text if found[i].kind == "mark" else ""
        if text in ("(", "[", "{", "<"):
            depth += 1
        elif text in (")", "]", "}", ">"):
            depth -= 1
        elif text == "," and depth == 0:
            ranges.append((begin, i))
            begin = i + 1
    if begin < last:
        ranges.append((begin, last))
    return tuple(ranges)


def newline_of(source: bytes) -> bytes:
    """The line end that the file uses."""
    crlf = source.count(b"\r\n")
    return b"\r\n" if crlf * 2 > source.count(b"\n") else b"\n"
