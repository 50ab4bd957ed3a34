"""Which floats surely fit an integer: of those a plain conversion says all that CUDA's says.

CUDA's conversion saturates and turns NaN into another number; C++ leaves both undefined. So a back
end writes a plain cast only where the value is proven to be a number inside the range:

    (int)fminf(fmaxf(x, 0.0f), 255.0f)      0 to 255, and fmaxf never gives NaN beside a number
    (int)(x < 0 ? 0 : x > 255 ? 255 : x)    not proven: a NaN goes through

The bounds are those of expressions alone, without what variables hold. They are computed in double
and widened by more than the operations can round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from migrate.ir.expr import Binary, BinaryOp, Call, Cast, Const, Expr, Select, Unary, UnaryOp
from migrate.ir.types import Kind, Scalar

_WHOLE = frozenset({"floorf", "floor", "ceilf", "ceil", "truncf", "trunc", "rintf", "rint",
                    "nearbyintf", "nearbyint", "roundf", "round"})  # fmt: skip
_SLACK = 2.0**-10


@dataclass(frozen=True, slots=True)
class FloatRange:
    """The value is between the bounds, which may be infinite, or a NaN if ``nan`` is set."""

    low: float = -math.inf
    high: float = math.inf
    nan: bool = True

    @property
    def finite(self) -> bool:
        """A number between two numbers."""
        return not self.nan and math.isfinite(self.low) and math.isfinite(self.high)


_ANY = FloatRange()


def surely_fits(e: Expr, goal: Scalar) -> bool:
    """Whether the float ``e`` is a number whose whole part is a value of the integer ``goal``."""
    found = float_range(e)
    top = 2.0 ** (goal.bits - 1 if goal.is_signed else goal.bits)
    bottom = -top if goal.is_signed else 0.0
    return found.finite and found.low > bottom - 1 and found.high < top


def float_range(e: Expr) -> FloatRange:
    """The range of a float."""
    match e:
        case Const(value):
            number = float(value)
            return _ANY if math.isnan(number) else FloatRange(number, number, False)
        case Cast(operand, Scalar() as kind) if kind.is_float:
            return _converted(operand)
        case Unary(UnaryOp.NEG, operand):
            inner = float_range(operand)
            return FloatRange(-inner.high, -inner.low, inner.nan)
        case Binary(BinaryOp.ADD | BinaryOp.SUB | BinaryOp.MUL as op, lhs, rhs):
            return _arithmetic(op, float_range(lhs), float_range(rhs))
        case Select(_, then, other):
            a, b = float_range(then), float_range(other)
            return FloatRange(min(a.low, b.low), max(a.high, b.high), a.nan or b.nan)
        case Call(name, args):
            return _called(name.removeprefix("std::"), args)
        case _:
            return _ANY


def _converted(e: Expr) -> FloatRange:
    kind = e.type
    if not isinstance(kind, Scalar):
        return _ANY
    if kind.is_float:
        return float_range(e)
    if kind.kind is Kind.BOOL:
        return FloatRange(0.0, 1.0, False)
    top = 2.0 ** (kind.bits - 1 if kind.is_signed else kind.bits)
    # The largest value can round up to the power of two.
    return FloatRange(-top if kind.is_signed else 0.0, top if kind.bits > 16 else top - 1, False)


def _arithmetic(op: BinaryOp, a: FloatRange, b: FloatRange) -> FloatRange:
    if not (a.finite and b.finite):
        return _ANY
    match op:
        case BinaryOp.ADD:
            ends = [a.low + b.low, a.high + b.high]
        case BinaryOp.SUB:
            ends = [a.low - b.high, a.high - b.low]
        case _:
            ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    low, high = min(ends), max(ends)
    low, high = low - abs(low) * _SLACK, high + abs(high) * _SLACK
    # Far below where half, the narrowest type, would become infinite.
    return FloatRange(low, high, False) if max(-low, high) < 2.0**15 else _ANY


def _called(name: str, args: tuple[Expr, ...]) -> FloatRange:
    found = [float_range(a) for a in args]
    if name in ("fminf", "fmin", "fmaxf", "fmax") and len(found) == 2:
        a, b = found
        nan = a.nan and b.nan
        # A NaN gives the other one, so the bound of one that can be a NaN does not count.
        if name.startswith("fmin"):
            high = min((x.high for x in found if not x.nan), default=math.inf)
            return FloatRange(min(a.low, b.low), high, nan)
        low = max((x.low for x in found if not x.nan), default=-math.inf)
        return FloatRange(low, max(a.high, b.high), nan)
    if name in _WHOLE and len(found) == 1:
        (a,) = found
        low = math.floor(a.low) if math.isfinite(a.low) else a.low
        high = math.ceil(a.high) if math.isfinite(a.high) else a.high
        return FloatRange(low, high, a.nan)
    if name in ("fabsf", "fabs") and len(found) == 1:
        (a,) = found
        return FloatRange(0.0, max(abs(a.low), abs(a.high)), a.nan)
    return _ANY


_SOURCES = {Kind.F32: "float", Kind.F64: "double", Kind.F16: "half", Kind.BF16: "bfloat16"}
_GOALS = {Kind.I32: "int", Kind.U32: "uint", Kind.I64: "ll", Kind.U64: "ull"}


def saturating_call(e: Cast) -> Call | None:
    """CUDA's function for a conversion of a float to an integer that need not fit: every target has
    a rule for it. None for other conversions; those to narrow integers are left as they are."""
    source, goal = e.operand.type, e.type
    if not (isinstance(source, Scalar) and isinstance(goal, Scalar)):
        return None
    if source.kind not in _SOURCES or goal.kind not in _GOALS or surely_fits(e.operand, goal):
        return None
    name = f"__{_SOURCES[source.kind]}2{_GOALS[goal.kind]}_rz"
    return Call(name, (e.operand,), goal, span=e.span)
