"""Device variables: ``__constant__`` and ``__device__`` become ``__gm__``."""

from __future__ import annotations

import re

from migrate.backends.ascendc.file_text import DevicePart
from migrate.backends.ascendc.soft_double import NAME
from migrate.core.cpp_text import tokens
from migrate.ir.program import Definition

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
