"""The lint of emitted code for Ascend 910B: names of the vector API, and of members of its objects.

The same purpose as :mod:`migrate.backends.ascendc.api_lint`, which looks after plain names and the
host. The vector API stands in the namespace ``AscendC``: functions with their numbers of arguments,
types, enumerators. In device code a member function is the API's or the program's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from migrate.backends.ascendc.api_lint import ApiFault, device_bodies, own_names
from migrate.backends.ascendc.api_table import Arities, VectorTable
from migrate.backends.ascendc.host_scan import Stretch, stretches
from migrate.core.cpp_text import Token, closing, split_commas

_NAMESPACE = "AscendC"


def lint_vector_api(
    files: Mapping[PurePosixPath, bytes], table: VectorTable
) -> tuple[ApiFault, ...]:
    """Faults of the C++ files of one program, in their order."""
    parts = {path: stretches(text) for path, text in files.items()}
    own = frozenset(n for path in files for n in own_names(files[path], parts[path]))
    return tuple(
        ApiFault(path, text.count(b"\n", 0, at) + 1, name, cause)
        for path, text in files.items()
        for stretch in parts[path]
        for at, name, cause in _faults(stretch, own, table)
    )


def _faults(
    stretch: Stretch, own: frozenset[str], table: VectorTable
) -> Iterator[tuple[int, str, str]]:
    found = stretch.tokens
    device = tuple(device_bodies(found))
    for i in range(2, len(found)):
        t, mark = found[i], found[i - 1].text
        if t.kind != "word":
            continue
        if mark == "::" and found[i - 2].text == _NAMESPACE:
            cause = _of_name(found, i, table)
            if cause:
                yield t.start, t.text, cause
        elif mark in (".", "->") and any(a < i < b for a, b in device):
            cause = _of_member(found, i, own, table)
            if cause:
                yield t.start, t.text, cause


def _of_name(found: tuple[Token, ...], i: int, table: VectorTable) -> str:
    name = found[i].text
    values = table.enumerators.get(name)
    if values is not None:
        scoped = i + 2 < len(found) and found[i + 1].text == "::"
        if scoped and found[i + 2].text not in values:
            return f"it has no {found[i + 2].text}"
        return ""
    if name in table.types:
        return ""
    if name not in table.functions:
        return "the vector API has no such name"
    return _count_fault(table.functions[name], found, i)


def _of_member(found: tuple[Token, ...], i: int, own: frozenset[str], table: VectorTable) -> str:
    name = found[i].text
    if _opening(found, i) is None or name in own:
        return ""
    if name not in table.members:
        return "no member function of the vector API, and none of the program"
    return _count_fault(table.members[name], found, i)


def _opening(found: tuple[Token, ...], i: int) -> int | None:
    """The parenthesis of a call, behind template arguments if there are any."""
    k = i + 1
    if k < len(found) and found[k].text == "<":
        depth = 0
        while k < len(found) and found[k].text not in (";", "{", "}"):
            depth += (found[k].text == "<") - (found[k].text == ">")
            k += 1
            if depth == 0:
                break
    return k if k < len(found) and found[k].text == "(" else None


def _count_fault(allowed: Arities, found: tuple[Token, ...], i: int) -> str:
    opening = _opening(found, i)
    close = None if opening is None else closing(found, opening)
    if opening is None or close is None:
        return "the vector API has a function of that name, which is not called here"
    count = len(list(split_commas(found, opening + 1, close))) if close > opening + 1 else 0
    if not allowed or count in allowed:
        return ""
    wanted = " or ".join(map(str, sorted(allowed)))
    return f"{count} arguments, where the vector API takes {wanted}"
