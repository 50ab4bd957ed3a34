"""Device variables: ``__constant__`` and ``__device__`` become ``__gm__``."""

from __future__ import annotations

import re
import struct

from migrate.backends.ascendc.file_text import DevicePart
from migrate.backends.ascendc.library_functions import is_library
from migrate.backends.ascendc.soft_double import NAME
from migrate.backends.clike_dialect import TypeSpelling
from migrate.core.cpp_text import tokens
from migrate.ir.kernel import GlobalVar
from migrate.ir.program import Definition, SourceUnit
from migrate.ir.types import Array, Kind, Scalar, Type

_SPACES = frozenset({"__constant__", "__device__"})
_SPACE_MACRO = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([\w \t]*\b(?:__constant__|__device__)\b[\w \t]*)$",
    re.M,
)


def variable_parts(source: bytes, d: Definition, soft_double: bool) -> list[DevicePart]:
    """``__constant__ T v`` and ``__device__ T v`` are ``__gm__ T v``; a soft double is a class.

    A macro can stand for the space: ``DEVICE T v``. One that another file defines is not known
    here, and what it stands for is nothing in a migrated file, so ``__gm__`` comes in front.
    """
    out: list[DevicePart] = []
    first = True
    macros = {m.decode(): body.decode() for m, body in _SPACE_MACRO.findall(source)}
    for t in tokens(source, d.span.start, d.span.end):
        if t.text == "=":
            break
        if soft_double and t.text == "double":
            out.append(DevicePart(t.start, t.end, NAME))
        if t.text in _SPACES or t.text in macros:
            end = t.end
            others = [w for w in macros.get(t.text, "").split() if w not in _SPACES]
            words = [*others, "__gm__"] if first else others
            if not words:
                while source[end : end + 1] in (b" ", b"\t"):
                    end += 1
            out.append(DevicePart(t.start, end, " ".join(words)))
            first = False
    if first:
        out.append(DevicePart(d.span.start, d.span.start, "__gm__ "))
    return out


def library_variables(units: tuple[SourceUnit, ...], text: str) -> tuple[str, ...]:
    """Definitions of the tables of CUDA's libraries that device code names.

    Like the functions of the libraries, they have no definition in the program's own files. Only
    tables of numbers with an initialiser are written; the libraries have no others.
    """
    words = set(re.findall(r"\w+", text))
    found: dict[str, str] = {}
    for unit in units:
        for g in unit.module.globals:
            if g.name in words and g.init is not None and is_library(g.span):
                found.setdefault(g.name, _table(g, g.init))
    return tuple(found.values())


def _table(g: GlobalVar, data: bytes) -> str:
    element: Type = g.type
    while isinstance(element, Array):
        element = element.element
    assert isinstance(element, Scalar)
    values = [_literal(element, data, at) for at in range(0, len(data), element.bytes)]
    rows = "\n".join(f"    {', '.join(values[i : i + 8])}," for i in range(0, len(values), 8))
    return f"__gm__ const {TypeSpelling().declare(g.type, g.name)} = {{\n{rows}\n}};\n"


_CODES = {
    Kind.I8: "b", Kind.U8: "B", Kind.I16: "h", Kind.U16: "H", Kind.I32: "i", Kind.U32: "I",
    Kind.I64: "q", Kind.U64: "Q", Kind.F32: "f",
}  # fmt: skip
_ENDINGS = {Kind.U32: "u", Kind.I64: "ll", Kind.U64: "ull", Kind.F32: "f"}


def _literal(element: Scalar, data: bytes, at: int) -> str:
    (value,) = struct.unpack_from(f"<{_CODES[element.kind]}", data, at)
    return f"{value!r}{_ENDINGS.get(element.kind, '')}"
