"""CUDA's vector types (``float4``, ``uchar4``...) in migrated files.

The SIMT API of 950 has them in a header. 910B has none, so each one that a file uses is defined at
its top, with CUDA's layout. ``make_float4(...)`` of host code is a plain aggregate on both.
"""

from __future__ import annotations

import re

from migrate.core.targets import Target
from migrate.ir.types import VECTORS, Kind, Vector
from migrate.rules.model import Prelude

SIMT_HEADER = "simt_api/vector_functions.h"
_ALIGNED = 16
_MEMBERS = {
    Kind.I8: "signed char", Kind.U8: "unsigned char", Kind.I16: "short", Kind.U16: "unsigned short",
    Kind.I32: "int", Kind.U32: "unsigned int", Kind.F32: "float", Kind.F64: "double",
}  # fmt: skip
_MAKE = re.compile(r"make_(\w+)")


def member_type(v: Vector) -> str:
    """The C++ type of a member; ``long`` and ``long long`` differ by the vector's name."""
    if v.element.kind in _MEMBERS:
        return _MEMBERS[v.element.kind]
    base = v.name.rstrip("1234")
    word = "long long" if "longlong" in base else "long"
    return f"unsigned {word}" if base.startswith("u") else word


def plain_vector(name: str) -> Vector | None:
    """The vector type of that name, ``dim3`` and the half types left out."""
    v = VECTORS.get(name)
    if v is None or v.element.kind in (Kind.F16, Kind.BF16) or name == "dim3":
        return None
    return v


def definition(v: Vector) -> Prelude:
    """The type with CUDA's size and alignment."""
    size = v.bytes
    align = min(size, _ALIGNED) if v.lanes in (2, 4) else 0
    head = f"struct alignas({align}) {v.name}" if align > v.element.bytes else f"struct {v.name}"
    return Prelude(v.name, f"{head} {{\n    {member_type(v)} {', '.join(v.members)};\n}};\n")


def vectors_in(text: str) -> tuple[Vector, ...]:
    """The vector types that a text names or makes, in order of appearance."""
    found: dict[str, Vector] = {}
    for word in re.findall(r"[A-Za-z_]\w*", text):
        hit = _MAKE.fullmatch(word)
        v = plain_vector(hit.group(1) if hit else word)
        if v is not None:
            found.setdefault(v.name, v)
    return tuple(found.values())


def helpers_for(target: Target, text: str) -> tuple[tuple[str, ...], tuple[Prelude, ...]]:
    """Headers and definitions that a text needs for its vector types."""
    used = vectors_in(text)
    if not used:
        return (), ()
    if target is Target.ASCEND_950:
        known = any(v.element.kind is not Kind.F64 for v in used)
        own = tuple(definition(v) for v in used if v.element.kind is Kind.F64)
        return ((SIMT_HEADER,) if known else ()), own
    return (), tuple(definition(v) for v in used)


def made(name: str, args: list[str]) -> str | None:
    """``make_float4(a, b, c, d)`` as an aggregate; nothing for another call."""
    hit = _MAKE.fullmatch(name)
    v = None if hit is None else plain_vector(hit.group(1))
    if v is None or len(args) != v.lanes:
        return None
    kind = member_type(v)
    simple = " " not in kind
    parts = [f"({kind})({a})" if simple else f"static_cast<{kind}>({a})" for a in args]
    return f"{v.name}{{{', '.join(parts)}}}"
