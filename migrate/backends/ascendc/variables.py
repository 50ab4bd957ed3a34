"""Device variables: ``__constant__`` and ``__device__`` become ``__gm__``."""

from __future__ import annotations

from migrate.backends.ascendc.file_text import DevicePart
from migrate.backends.ascendc.soft_double import NAME
from migrate.core.cpp_text import tokens
from migrate.ir.program import Definition

_SPACES = frozenset({"__constant__", "__device__"})


def variable_parts(source: bytes, d: Definition, soft_double: bool) -> list[DevicePart]:
    """``__constant__ T v`` and ``__device__ T v`` are ``__gm__ T v``; a soft double is a class."""
    out: list[DevicePart] = []
    first = True
    for t in tokens(source, d.span.start, d.span.end):
        if t.text == "=":
            break
        if soft_double and t.text == "double":
            out.append(DevicePart(t.start, t.end, NAME))
        if t.text in _SPACES:
            end = t.end
            if not first:
                while source[end : end + 1] in (b" ", b"\t"):
                    end += 1
            out.append(DevicePart(t.start, end, "__gm__" if first else ""))
            first = False
    return out
