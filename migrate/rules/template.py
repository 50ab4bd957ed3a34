"""Templates of spellings: ``$0`` for operands, ``$name`` for other places."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_WORD = re.compile(r"\w+")
_HOLE = re.compile(r"\$(\d+|[a-z_][a-z_0-9]*)")
_ATOM = re.compile(r"[A-Za-z_][\w.:]*(\([^()]*\))?|\d[\w.]*|\w+\[[^\[\]]*\]")


def holes(template: str) -> tuple[str, ...]:
    """The placeholders of a template in order of appearance, without ``$``."""
    return tuple(_HOLE.findall(template))


def words_of(text: str) -> frozenset[str]:
    """All identifiers and numbers in a text."""
    return frozenset(_WORD.findall(text))


def fill(template: str, args: Sequence[str], names: Mapping[str, str]) -> str:
    """The template with operands and named places put in.

    An operand is put in parentheses when it is compound and stands in a place where another
    operator could take part of it. ``KeyError`` for a name without a value.
    """
    out: list[str] = []
    last = 0
    for hit in _HOLE.finditer(template):
        out.append(template[last : hit.start()])
        key = hit.group(1)
        if key.isdigit():
            alone = _stands_alone(template, hit.start(), hit.end())
            text = args[int(key)]
            out.append(text if alone or is_atom(text) else f"({text})")
        else:
            out.append(names[key])
        last = hit.end()
    out.append(template[last:])
    return "".join(out)


def is_atom(text: str) -> bool:
    """True when a text needs no parentheses inside a larger expression."""
    if _ATOM.fullmatch(text):
        return True
    head = re.match(r"[A-Za-z_][\w.:<>]*\(|\(", text)
    return head is not None and _closing(text, head.end() - 1) == len(text) - 1


def _closing(text: str, start: int) -> int:
    depth = 0
    for i in range(start, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return -1


def _stands_alone(template: str, start: int, end: int) -> bool:
    before = template[:start].rstrip()
    after = template[end:].lstrip()
    if not before or not after:
        return not before and not after
    return (before[-1] in "(,[" or before.endswith(" =")) and after[0] in "),];"
