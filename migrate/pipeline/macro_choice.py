"""``#if`` lines that choose between texts by the macros of a configuration."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_INTEGER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)")


class CannotMerge(ValueError):
    """The versions of a file cannot stand in one; ``at`` is where, an offset of the original."""

    def __init__(self, cause: str, at: int = 0) -> None:
        super().__init__(cause)
        self.cause, self.at = cause, at


@dataclass(frozen=True, slots=True, order=True)
class Macro:
    """A macro of a configuration; ``-DNAME`` has the value 1, as for the compiler."""

    name: str
    value: str = "1"

    @property
    def number(self) -> int | None:
        """The value, if it is an integer."""
        return int(self.value, 0) if _INTEGER.fullmatch(self.value) else None


@dataclass(frozen=True, slots=True)
class Alternative:
    """A text, and the macros of the configuration that it is for."""

    macros: tuple[Macro, ...]
    text: bytes


def choice(
    alternatives: Sequence[Alternative],
    unsafe: frozenset[str],
    newline: bytes,
    place: tuple[int, int],
) -> tuple[bytes, tuple[int, ...]]:
    """Lines from which each configuration reads its own text; where each text begins in them.

    Nothing is guarded where all texts are one. Raises :class:`CannotMerge` when the macros do not
    tell the configurations apart, or when one is in ``unsafe``.
    """
    if len({a.text for a in alternatives}) <= 1:
        return (alternatives[0].text if alternatives else b""), (0,) * len(alternatives)
    order = sorted(range(len(alternatives)), key=lambda i: -len(alternatives[i].macros))
    groups: list[list[int]] = []
    for i in order:
        if groups and alternatives[groups[-1][0]].text == alternatives[i].text:
            groups[-1].append(i)
        else:
            groups.append([i])
    asked = [i for group in groups[:-1] for i in group]
    named = {m.name for i in asked for m in alternatives[i].macros}
    if found := sorted(named & unsafe):
        raise CannotMerge(f"the sources set {', '.join(found)} themselves", place[0])
    _check(alternatives, groups, place)
    parts: list[bytes] = []
    begins = [0] * len(alternatives)
    for number, group in enumerate(groups):
        text = alternatives[group[0]].text
        last = number == len(groups) - 1
        if last and not text:
            begins = [b or sum(map(len, parts)) if i in group else b for i, b in enumerate(begins)]
            break
        word = "#else" if last else f"{'#elif' if number else '#if'} {_any(alternatives, group)}"
        parts += (word.encode(), newline)
        for i in group:
            begins[i] = sum(map(len, parts))
        parts.append(text if not text or text.endswith(b"\n") else text + newline)
    parts += (b"#endif", newline)
    return b"".join(parts), tuple(begins)


def _any(alternatives: Sequence[Alternative], group: Sequence[int]) -> str:
    found = [_condition(alternatives, alternatives[i]) for i in group]
    return found[0] if len(found) == 1 else " || ".join(f"({c})" for c in found)


def _condition(alternatives: Sequence[Alternative], one: Alternative) -> str:
    parts: list[str] = []
    for macro in one.macros:
        parts.append(f"defined({macro.name})")
        if _varies(alternatives, macro.name):
            parts.append(f"{macro.name} == {macro.value}")
    return " && ".join(parts) or "1"


def _varies(alternatives: Sequence[Alternative], name: str) -> bool:
    """True when configurations give a macro more than one value."""
    return len({m.value for a in alternatives for m in a.macros if m.name == name}) > 1


def _check(
    alternatives: Sequence[Alternative], groups: Sequence[Sequence[int]], place: tuple[int, int]
) -> None:
    """Every configuration must come out at its own text."""
    for a in alternatives:
        for macro in a.macros:
            if macro.number is None and _varies(alternatives, macro.name):
                cause = f"the values of {macro.name} cannot be compared by a preprocessor"
                raise CannotMerge(cause, place[0])
    for mine in alternatives:
        chosen = next(
            (g for g in groups[:-1] if any(_holds(alternatives[i], mine) for i in g)), groups[-1]
        )
        if alternatives[chosen[0]].text != mine.text:
            raise CannotMerge("the macros do not tell the configurations apart", place[0])


def _holds(asked: Alternative, under: Alternative) -> bool:
    """Whether the condition of ``asked`` is true under the macros of another configuration.

    A value is compared only where it varies; where it does not, the names decide alone.
    """
    known = {m.name: m for m in under.macros}
    return all(
        m.name in known and (m.number is None or m.number == known[m.name].number)
        for m in asked.macros
    )
