"""C's conversions on IR types, with constants folded.

Sources: C++17 [conv.prom], [expr.arith.conv], [conv.fpint]. Enums and ``char`` arrive as their
underlying integers (x86-64 and CUDA: plain ``char`` is signed).
"""

from __future__ import annotations

import math
import struct

from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Bitcast,
    Cast,
    Compose,
    Const,
    Expr,
    NullPtr,
    Unary,
    UnaryOp,
)
from migrate.ir.types import BOOL, F32, F64, I32, Array, Kind, Pointer, Scalar, Type, Vector

_RANK = {Kind.I32: 0, Kind.U32: 1, Kind.I64: 2, Kind.U64: 3}


def promote(kind: Scalar) -> Scalar:
    """Integer promotion: everything narrower than ``int`` becomes ``int``."""
    if kind.is_float or kind.kind in _RANK:
        return kind
    return I32


def common_type(a: Scalar, b: Scalar) -> Scalar:
    """The usual arithmetic conversions."""
    for wide in (F64, F32):
        if wide in (a, b):
            return wide
    if a.is_float or b.is_float:
        # half and bfloat16 meet only their own kind; mixed forms are calls of operators
        return a if a.is_float else b
    x, y = promote(a), promote(b)
    return x if _RANK[x.kind] >= _RANK[y.kind] else y


def wrap(value: int, kind: Scalar) -> int:
    """``value`` modulo 2**bits, in the type's range."""
    bits = kind.bits
    value &= (1 << bits) - 1
    if kind.is_signed and value >> (bits - 1):
        value -= 1 << bits
    return value


def round_float(value: float, kind: Scalar) -> float:
    """The nearest value of a float type, ties to even; overflow gives infinity."""
    if math.isnan(value) or math.isinf(value) or kind.kind is Kind.F64:
        return value
    if kind.kind is Kind.BF16:
        return _round_bf16(value)
    code = "f" if kind.kind is Kind.F32 else "e"
    try:
        return float(struct.unpack("<" + code, struct.pack("<" + code, value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _round_bf16(value: float) -> float:
    if value == 0.0:
        return value
    # Scale so that the significand's 8 bits are an integer; Python's round is ties-to-even.
    exponent = max(math.frexp(value)[1] - 8, -133)
    rounded = math.ldexp(round(math.ldexp(value, -exponent)), exponent)
    limit = math.ldexp(255.0, 120)
    return rounded if abs(rounded) <= limit else math.copysign(math.inf, value)


def _int_to_float(value: int, kind: Scalar) -> float:
    """Exact integer to nearest float, in one rounding."""
    if kind.kind is Kind.F64 or abs(value) < (1 << 53):
        return round_float(float(value), kind)
    # Round to odd at 53 bits first: the second rounding is then exact (Boldo, Melquiond 2008).
    shift = value.bit_length() - 53
    magnitude = abs(value)
    kept = (magnitude >> shift) | int(bool(magnitude & ((1 << shift) - 1)))
    return round_float(math.copysign(math.ldexp(float(kept), shift), value), kind)


def fold_cast(value: Const, to: Scalar) -> Const | None:
    """The constant after conversion; ``None`` where C++ leaves the result undefined."""
    raw = value.value
    if to == BOOL:
        return Const(bool(raw), BOOL, span=value.span)
    if isinstance(raw, float):
        if to.is_float:
            return Const(round_float(raw, to), to, span=value.span)
        if math.isnan(raw) or math.isinf(raw):
            return None
        whole = int(raw)
        return Const(whole, to, span=value.span) if wrap(whole, to) == whole else None
    if to.is_float:
        return Const(_int_to_float(int(raw), to), to, span=value.span)
    return Const(wrap(int(raw), to), to, span=value.span)


def coerce(e: Expr, to: Type) -> Expr:
    """``e`` converted to ``to`` by C's rules; the same object when the type fits already.

    Raises ``TypeError`` when C has no such conversion.
    """
    source = e.type
    if source == to:
        return e
    match source, to:
        case Scalar(), Scalar():
            if isinstance(e, Const):
                folded = fold_cast(e, to)
                if folded is not None:
                    return folded
            if to == BOOL and source.is_float:
                # the comparison, not a truncation: 0.5 is true
                return Binary(BinaryOp.NE, e, Const(0.0, source))
            if to == BOOL:
                return Binary(BinaryOp.NE, e, Const(0, source))
            return Cast(e, to)
        case Pointer(), Scalar() if to == BOOL:
            return Binary(BinaryOp.NE, e, NullPtr(source))
        case Pointer(), Pointer():
            if isinstance(e, NullPtr):
                return NullPtr(to)
            return e if pointers_agree(source, to) else Cast(e, to)
        case (Pointer(), Scalar() as number) | (Scalar() as number, Pointer()):
            if isinstance(to, Pointer) and isinstance(e, Const) and e.value == 0:
                return NullPtr(to)
            if number.is_integer:
                return Cast(e, to)
        case Vector(), Vector() if source.element == to.element and source.lanes == to.lanes:
            return Bitcast(e, to)
    raise TypeError(f"no conversion from {source} to {to}")


def pointers_agree(a: Pointer, b: Pointer) -> bool:
    """Pointers agree when their pointees do; space and qualifiers are facts, not types."""
    match a.pointee, b.pointee:
        case Pointer() as p, Pointer() as q:
            return pointers_agree(p, q)
        case p, q:
            return p == q


def negate(e: Expr) -> Expr:
    """``-e`` with constants folded."""
    if isinstance(e, Const) and isinstance(e.type, Scalar) and e.type != BOOL:
        if isinstance(e.value, float):
            return Const(-e.value, e.type, span=e.span)
        return Const(wrap(-int(e.value), e.type), e.type, span=e.span)
    return Unary(UnaryOp.NEG, e)


def invert(e: Expr) -> Expr:
    """``!e`` of a bool."""
    if isinstance(e, Const):
        return Const(not e.value, BOOL, span=e.span)
    return Unary(UnaryOp.NOT, e)


def zero(kind: Type) -> Expr | None:
    """The value-initialised value of a scalar, pointer or vector type."""
    match kind:
        case Scalar():
            if kind == BOOL:
                return Const(False, BOOL)
            return Const(0.0 if kind.is_float else 0, kind)
        case Pointer():
            return NullPtr(kind)
        case Vector():
            lane = zero(kind.element)
            assert lane is not None
            return Compose((lane,) * kind.lanes, kind)
        case Array():
            return None
        case _:
            return None
