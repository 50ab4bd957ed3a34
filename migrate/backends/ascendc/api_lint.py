"""A lint of emitted code: every function of the vendor that it names exists and is called right.

A run on the CPU shows that the code does what it should, but not that the vendor's compiler knows
its names, for there they are ours. Here each call in device code is either of a function that the
program defines, or in the table (:mod:`migrate.backends.ascendc.api_table`) with that number of
arguments; so are the calls of AscendCL in host code. Types and constants of AscendCL, qualifiers
and names with two underscores are looked up as well, and CUDA's names have no place in device code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from migrate.backends.ascendc.api_table import ApiTable, Arities
from migrate.backends.ascendc.host_scan import FoundCall, Stretch, calls, stretches
from migrate.core.cpp_text import Token, closing

_DEVICE_WORDS = frozenset({"__aicore__", "__global__"})
_DEVICE_NAME = re.compile(r"(?:__|asc_)\w+|cuda[A-Z]\w*|cu[A-Z]\w*")
"""Names in device code that have to be the vendor's or the program's own."""
_CUDA_QUALIFIERS = frozenset(
    {"__device__", "__host__", "__shared__", "__constant__", "__managed__"}
)
_HOST_NAME = re.compile(
    r"acl(?:rt|prof)?[A-Z]\w*|aclmdlRI\w*|ACL_\w+|Hccl[A-Z]\w*|HCCL_\w+|mstx[A-Z]\w*"
)
_SYNTAX = frozenset({
    "if", "for", "while", "switch", "return", "sizeof", "alignof", "alignas",
    "static_assert", "decltype", "catch", "do", "else", "case", "new", "delete", "throw",
    "goto", "typename", "operator", "int", "unsigned", "signed", "char", "short", "long",
    "float", "double", "bool", "void", "auto", "const", "half", "half2", "bfloat16_t",
    "bfloat16x2_t", "dim3", "size_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t",
    "uint32_t", "int64_t", "uint64_t",
})  # fmt: skip
_NO_TYPE = frozenset({"return", "else", "case", "new", "delete", "throw", "goto", "do", "sizeof"})


@dataclass(frozen=True, slots=True)
class ApiFault:
    """A name, and where it stands: a file of the output tree and its line."""

    file: PurePosixPath
    line: int
    name: str
    cause: str


def lint_api(files: Mapping[PurePosixPath, bytes], table: ApiTable) -> tuple[ApiFault, ...]:
    """Faults of the C++ files of one program, in their order."""
    parts = {path: stretches(text) for path, text in files.items()}
    own = frozenset(n for path in files for n in own_names(files[path], parts[path]))
    faults: list[ApiFault] = []
    for path, text in files.items():
        for stretch in parts[path]:
            for at, name, cause in _File(stretch, own, table).faults():
                faults.append(ApiFault(path, text.count(b"\n", 0, at) + 1, name, cause))
    return tuple(faults)


def own_names(text: bytes, parts: tuple[Stretch, ...]) -> Iterator[str]:
    """Names that a program declares: behind a type, in a template head, as a macro."""
    for hit in re.finditer(rb"#\s*define\s+(\w+)", text):
        yield hit.group(1).decode()
    for stretch in parts:
        found = stretch.tokens
        device = tuple(device_bodies(found))
        for i in range(1, len(found)):
            before, t = found[i - 1], found[i]
            if t.kind != "word" or t.text in _CUDA_QUALIFIERS:
                continue
            behind_type = before.kind == "word" and before.text not in _NO_TYPE
            outside = not any(a <= i <= b for a, b in device)
            behind_mark = outside and before.text in ("*", "&", ">", "~")
            if behind_type or behind_mark:
                yield t.text


def device_bodies(found: tuple[Token, ...]) -> Iterator[tuple[int, int]]:
    """The bodies of device functions and kernels, as indices of their braces."""
    end = -1
    for i, t in enumerate(found):
        if t.text not in _DEVICE_WORDS or i < end:
            continue
        k = i
        while k < len(found) and found[k].text not in ("{", ";"):
            k += 1
        close = closing(found, k) if k < len(found) and found[k].text == "{" else None
        if close is not None:
            end = close
            yield k, close


class _File:
    """The code of one file outside macros, or one macro's body."""

    def __init__(self, stretch: Stretch, own: frozenset[str], table: ApiTable) -> None:
        self._stretch = stretch
        self._own = own
        self._table = table
        found = stretch.tokens
        self._device = tuple((found[a].start, found[b].end) for a, b in device_bodies(found))

    def faults(self) -> Iterator[tuple[int, str, str]]:
        """Place, name and cause of each fault."""
        called: set[int] = set()
        for call in calls(self._stretch):
            cause = self._of_call(call)
            if cause is not None:
                called.add(call.start)
                yield call.start, call.name, cause
        for t in self._stretch.tokens:
            if t.kind == "word" and t.start not in called and not self._is_known(t):
                yield t.start, t.text, "the vendor's API has no such name"

    def _is_device(self, at: int) -> bool:
        return any(a <= at < b for a, b in self._device)

    def _of_call(self, call: FoundCall) -> str | None:
        name = call.name
        if name in self._own or name in _SYNTAX:
            return None
        if self._is_device(call.start):
            if name not in self._table.device:
                return "no function of the vendor's device API, and none of the program"
            return _count_fault(self._table.device[name], call)
        if _HOST_NAME.fullmatch(name) and name in self._table.host:
            return _count_fault(self._table.host[name], call)
        return None

    def _is_known(self, t: Token) -> bool:
        table = self._table
        if t.text in self._own or t.text in table.names:
            return True
        if t.text in _CUDA_QUALIFIERS:
            return False
        if self._is_device(t.start) and (t.text == "std" or _DEVICE_NAME.fullmatch(t.text)):
            return t.text in table.device
        return _HOST_NAME.fullmatch(t.text) is None or t.text in table.host


def _count_fault(allowed: Arities, call: FoundCall) -> str | None:
    if not allowed or len(call.args) in allowed:
        return None
    wanted = " or ".join(map(str, sorted(allowed)))
    return f"{len(call.args)} arguments, where the vendor's function takes {wanted}"
