"""Whole numbers in host functions that say how much a program has to do.

Values that variables start with and the bounds of loops that launch kernels. A number is named by
its function and its place among that function's numbers, so that the same one is found in the
migrated text of the file, whose host functions keep their names and their literals.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from migrate.emulation.cpp_lexer import Edit, Token, apply_edits, tokenize

_INTEGER = re.compile(r"[1-9]\d{0,18}[uUlL]*\Z")
_SHIFTED = re.compile(r"([1-9]\d{0,8})[uUlL]*<<(\d{1,2})\Z")
_PRODUCT = re.compile(
    r"(?P<number>[1-9]\d{0,18}[uUlL]*(\*[1-9]\d{0,18}[uUlL]*)*)(/[A-Za-z_]\w*)?\Z"
)
_DEVICE = re.compile(r"__(device|global|aicore|simt\w*|vector|cube)__\Z")
_NO_FUNCTIONS = frozenset({"if", "for", "while", "switch", "catch", "return"})


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a host function: its text, its value, and where it stands in the file.

    ``repeats`` is true for the bound of a loop (``i < 100``), whose body launches a kernel if
    ``launches``; else it is the value that a variable starts with.
    """

    function: str
    text: str
    value: int
    start: int
    end: int
    repeats: bool = False
    launches: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """Divides the numbers at ``places`` of a file's list, or makes loops there run once."""

    places: tuple[int, ...]
    by: int


def host_numbers(text: str) -> tuple[Number, ...]:
    """The numbers of all host functions of a file, in its order; none of a function with device
    code in it."""
    tokens = tokenize(text)
    found: list[Number] = []
    for name, body in _functions(tokens):
        if not any(_DEVICE.match(t.text) for t in body):
            found += _numbers(name, body)
    return tuple(sorted(found, key=lambda n: n.start))


def changed(text: str, change: Change) -> str:
    """``= 4096;`` becomes ``= (4096) / 64;``, ``i < 100;`` becomes ``i < 1;``."""
    return _edited(text, host_numbers(text), change)


def changed_alike(original: str, migrated: str, change: Change) -> str | None:
    """The migrated text with the change of the original.

    None where functions whose numbers change do not have the same numbers in both texts: then
    nobody knows which of them are meant.
    """
    ours = host_numbers(original)
    named = {n.function for n in ours}
    theirs = tuple(n for n in host_numbers(migrated) if n.function in named)
    if [(n.function, n.text, n.repeats) for n in ours] != [
        (n.function, n.text, n.repeats) for n in theirs
    ]:
        return None
    return _edited(migrated, theirs, change)


def _edited(text: str, numbers: Sequence[Number], change: Change) -> str:
    edits: list[Edit] = []
    for number in (numbers[at] for at in change.places):
        if number.repeats:
            edits.append(Edit(number.start, number.end, "1"))
        else:
            edits.append(Edit(number.start, number.start, "("))
            edits.append(Edit(number.end, number.end, f") / {change.by}"))
    return apply_edits(text, tuple(edits))


def _functions(tokens: Sequence[Token]) -> Iterator[tuple[str, Sequence[Token]]]:
    """Names of host functions, and the tokens between the braces of each."""
    at = 0
    head = 0
    while at < len(tokens):
        text = tokens[at].text
        if text == "{":
            name = _function_name(tokens[head:at])
            if name:
                end = _closing(tokens, at)
                yield name, tokens[at + 1 : end]
                at = end
            head = at + 1
        elif text in (";", "}") or tokens[at].kind == "directive":
            head = at + 1
        at += 1


def _function_name(head: Sequence[Token]) -> str:
    """The name of the host function whose head this is, up to its brace; else empty."""
    if any(_DEVICE.match(t.text) or t.text == "=" for t in head):
        return ""
    opened = next((i for i, t in enumerate(head) if t.text == "("), 0)
    name = head[opened - 1] if opened else None
    if name is None or name.kind != "identifier" or name.text in _NO_FUNCTIONS:
        return ""
    return name.text


def _closing(tokens: Sequence[Token], opened: int) -> int:
    depth = 0
    for at in range(opened, len(tokens)):
        depth += {"{": 1, "}": -1}.get(tokens[at].text, 0)
        if depth == 0:
            return at
    return len(tokens)


def _numbers(name: str, body: Sequence[Token]) -> Iterator[Number]:
    for at, token in enumerate(body):
        before = body[at - 1] if at else None
        if token.text == "for":
            yield from _bound(name, body, at)
        if token.text != "=" or before is None or before.kind != "identifier":
            continue
        end = next((i for i in range(at + 1, len(body)) if body[i].text in ";,"), at + 1)
        text = "".join(t.text for t in body[at + 1 : end])
        value = value_of(text)
        if value > 1:
            yield Number(name, text, value, body[at + 1].start, body[end - 1].end)


def _bound(name: str, body: Sequence[Token], at: int) -> Iterator[Number]:
    """The bound of ``for (...; i < 100; ...)``."""
    first = next((i for i in range(at, len(body)) if body[i].text == ";"), len(body))
    words = [t.text for t in body[first + 1 : first + 5]]
    if len(words) < 4 or words[1] != "<" or words[3] != ";" or not _INTEGER.match(words[2]):
        return
    token = body[first + 3]
    depth, end = 1, next(i for i in range(at, len(body)) if body[i].text == "(") + 1
    while end < len(body) and depth:
        depth += {"(": 1, ")": -1}.get(body[end].text, 0)
        end += 1
    if end < len(body) and body[end].text == "{":
        last = _closing(body, end)
    else:
        last = next((i for i in range(end, len(body)) if body[i].text == ";"), len(body))
    inside = [t.text for t in body[end:last]]
    launches = any(inside[i : i + 3] == ["<"] * 3 for i in range(len(inside)))
    value = value_of(token.text)
    if value > 1:
        yield Number(name, token.text, value, token.start, token.end, True, launches)


def value_of(text: str) -> int:
    """A whole number, a product of them (with a name it may be divided by), or a shifted one.

    0 for anything else. ``2 * 1024 / n`` counts as 2048: the name is taken for small.
    """
    product = _PRODUCT.match(text)
    if product:
        return math.prod(map(int, re.findall(r"\d+", product["number"])))
    shifted = _SHIFTED.match(text)
    return int(shifted[1]) << int(shifted[2]) if shifted else 0
