"""Lines of a makefile as GNU make reads them: comments, assignments, rules, recipes, the rest.

Only as much as an edit needs: a logical line with its continuations, its kind, and its words.
A word ends at a blank outside of ``$(...)``; words inside of a function's call are given as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

_ASSIGN = re.compile(
    r"[ \t]*(?:(?:export|override|unexport|private|define)[ \t]+)*"
    r"(?:[^\s:#=]+[ \t]*:[ \t]*)?(?P<name>[^\s:#=+?!]+)[ \t]*(?P<op>\+=|\?=|:::?=|::?=|!=|=)"
)
_DIRECTIVE = re.compile(
    r"[ \t]*(?:ifn?eq|ifn?def|else|endif|-?s?include|endef|vpath|export|unexport|undefine)\b"
)


class LineKind(Enum):
    """What a logical line is."""

    COMMENT = "comment"
    ASSIGNMENT = "assignment"
    DIRECTIVE = "directive"
    RECIPE = "recipe"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class MakeLine:
    """``[start, end)`` is the logical line without its line end and its comment.

    ``name`` and its place are those of the variable that an assignment sets; ``value`` is where the
    value starts.
    """

    kind: LineKind
    start: int
    end: int
    comment: int
    name: str = ""
    name_at: int = 0
    value: int = 0


@dataclass(frozen=True, slots=True)
class MakeWord:
    """A word and its place; ``depth`` counts the function calls around it."""

    text: str
    start: int
    end: int
    depth: int


def make_lines(text: str) -> Iterator[MakeLine]:
    """The logical lines of a file, in order."""
    at, in_rule = 0, False
    while at < len(text):
        end = at
        while True:
            stop = text.find("\n", end)
            stop = len(text) if stop < 0 else stop
            if not text[at:stop].rstrip("\r").endswith("\\") or stop == len(text):
                break
            end = stop + 1
        line = _line(text, at, stop, in_rule)
        in_rule = line.kind is LineKind.RULE or (
            in_rule and line.kind in (LineKind.RECIPE, LineKind.COMMENT, LineKind.DIRECTIVE)
        )
        yield line
        at = stop + 1


def _line(text: str, start: int, stop: int, in_rule: bool) -> MakeLine:
    body = text[start:stop]
    if in_rule and body.startswith("\t"):
        kind = LineKind.COMMENT if body.lstrip().startswith("#") else LineKind.RECIPE
        return MakeLine(kind, start, stop, stop)
    comment = _comment(text, start, stop)
    if not text[start:comment].strip():
        return MakeLine(LineKind.COMMENT, start, comment, comment)
    if _DIRECTIVE.match(body) and not _ASSIGN.match(body):
        return MakeLine(LineKind.DIRECTIVE, start, comment, comment)
    found = _ASSIGN.match(text, start, comment)
    if found is not None:
        return MakeLine(
            LineKind.ASSIGNMENT, start, comment, comment,
            found.group("name"), found.start("name"), found.end(),
        )  # fmt: skip
    return MakeLine(LineKind.RULE, start, comment, comment)


def _comment(text: str, start: int, stop: int) -> int:
    i = start
    while i < stop:
        if text[i] == "\\":
            i += 2
            continue
        if text[i] == "#":
            return i
        i += 1
    return stop


def make_words(text: str, start: int, end: int, depth: int = 0) -> Iterator[MakeWord]:
    """Words of a range, and behind each the words of the function calls in it."""
    i = start
    while i < end:
        if text[i].isspace() or (text[i] == "\\" and text[i + 1 : i + 2] in ("\n", "\r")):
            i += 1
            continue
        first = i
        inner: list[tuple[int, int]] = []
        while i < end and not text[i].isspace():
            if text[i] == "$" and text[i + 1 : i + 2] in ("(", "{"):
                close = _close(text, i + 1, end)
                if _is_call(text, i + 2, close - 1):
                    inner.append((i + 2, close - 1))
                i = close
            elif (
                text[i] in "\"'" and (stop := text.find(text[i], i + 1, _row_end(text, i, end))) > 0
            ):
                i = stop + 1
            else:
                i += 1
        yield MakeWord(text[first:i], first, i, depth)
        for a, b in inner:
            yield from make_words(text, a, b, depth + 1)


def _row_end(text: str, at: int, end: int) -> int:
    """Quotes end on their own line."""
    stop = text.find("\n", at, end)
    return end if stop < 0 else stop


def _close(text: str, opening: int, end: int) -> int:
    pair = {"(": ")", "{": "}"}[text[opening]]
    depth, i = 0, opening
    while i < end:
        depth += (text[i] == text[opening]) - (text[i] == pair)
        i += 1
        if depth == 0:
            return i
    return end


def _is_call(text: str, start: int, end: int) -> bool:
    """A function's name and a blank; ``$(VAR)`` and ``$(VAR:.cu=.o)`` are no calls."""
    return re.match(r"[a-z-]+[ \t]", text[start:end]) is not None
