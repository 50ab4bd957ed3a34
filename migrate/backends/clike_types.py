"""Types as C++ converts them by itself, and literals as it spells them."""

from __future__ import annotations

import numpy as np

from migrate.ir.types import I32, Array, Kind, Scalar, Type

HALVES = frozenset({Kind.F16, Kind.BF16})
"""Types on which C++ has no arithmetic of its own."""


def plain(t: Type) -> Scalar | None:
    """The scalar type, when C++ has built-in arithmetic on it (not f16 or bf16)."""
    return t if isinstance(t, Scalar) and t.kind not in HALVES else None


def promoted(t: Scalar) -> Scalar:
    """C++'s integral promotion."""
    return I32 if t.kind is Kind.BOOL or (t.is_integer and t.bits < 32) else t


def usual_type(a: Type, b: Type) -> Type | None:
    """The type of ``a op b`` after C++'s usual arithmetic conversions; nothing for others."""
    x, y = plain(a), plain(b)
    if x is None or y is None:
        return a if a == b else None
    if x.is_float or y.is_float:
        floats = [t for t in (x, y) if t.is_float]
        return max(floats, key=lambda t: t.bits)
    x, y = promoted(x), promoted(y)
    if x.bits != y.bits:
        return x if x.bits > y.bits else y
    return y if x.is_signed else x


def preserves_value(source: Scalar, target: Scalar) -> bool:
    """True when every value of ``source`` stands in ``target`` unchanged."""
    if source == target or source.kind is Kind.BOOL:
        return True
    if target.kind is Kind.BOOL:
        return False
    if source.is_float:
        return target.is_float and (source.kind, target.kind) in _WIDER_FLOATS
    if target.is_float:
        return source.bits < {Kind.F64: 54, Kind.F32: 25}.get(target.kind, 0)
    if source.is_signed == target.is_signed:
        return target.bits >= source.bits
    return target.is_signed and target.bits > source.bits


_WIDER_FLOATS = frozenset(
    {(Kind.F32, Kind.F64)} | {(h, w) for h in HALVES for w in (Kind.F32, Kind.F64)}
)


def float_digits(value: float, single: bool) -> str:
    """The shortest decimal that reads back as the same float, always with a point."""
    text = repr(float(value)) if not single else str(np.float32(value))
    mantissa, mark, exponent = text.partition("e")
    if "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}{mark}{exponent.lstrip('+')}"


def c_string(text: str) -> str:
    """A C++ string literal."""
    out = []
    for byte in text.encode("utf-8", "surrogateescape"):
        char = chr(byte)
        if char in '"\\':
            out.append("\\" + char)
        elif char in "\n\t\r":
            out.append({"\n": "\\n", "\t": "\\t", "\r": "\\r"}[char])
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def base_type(t: Type) -> Type:
    """The element type below arrays; what a declaration list shares."""
    while isinstance(t, Array):
        t = t.element
    return t
