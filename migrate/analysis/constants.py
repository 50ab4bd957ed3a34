"""Values of the scalar types: wraparound, rounding, constants in range."""

from __future__ import annotations

import math
import struct

from migrate.ir.expr import Const
from migrate.ir.types import BOOL, Kind, Scalar

Value = int | float | bool


def wrap(value: int, kind: Scalar) -> int:
    """The value at the type's width, two's complement."""
    bits = kind.bits
    value &= (1 << bits) - 1
    if kind.is_signed and value >> (bits - 1):
        value -= 1 << bits
    return value


def round_to(value: float, kind: Scalar) -> float:
    """The nearest value of a float type, ties to even; overflow gives infinity."""
    if math.isnan(value) or math.isinf(value):
        return value
    match kind.kind:
        case Kind.F64:
            return value
        case Kind.F32:
            return _packed(value, "f")
        case Kind.F16:
            return _packed(value, "e")
        case Kind.BF16:
            return _bf16(_to_odd_f32(value))
        case _:
            raise TypeError(f"{kind} is no float type")


def _packed(value: float, code: str) -> float:
    try:
        out: float = struct.unpack(f"<{code}", struct.pack(f"<{code}", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return out


def _to_odd_f32(value: float) -> int:
    """Bits of the f32 towards zero with a sticky last bit: rounding twice then rounds once."""
    nearest = _packed(value, "f")
    bits: int = struct.unpack("<I", struct.pack("<f", nearest))[0]
    if nearest == value:
        return bits
    if math.isinf(nearest):
        return bits
    if abs(nearest) > abs(value):
        bits -= 1
    return bits | 1


def _bf16(bits: int) -> float:
    """f32 bits rounded to the upper half, ties to even."""
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    out: float = struct.unpack("<f", struct.pack("<I", rounded))[0]
    return out


def const(value: Value, kind: Scalar) -> Const:
    """A constant in the type's range."""
    if kind == BOOL:
        return Const(bool(value), BOOL)
    if kind.is_float:
        return Const(round_to(float(value), kind), kind)
    return Const(wrap(int(value), kind), kind)
