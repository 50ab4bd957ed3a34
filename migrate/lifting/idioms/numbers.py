"""Operators on rows of known numbers, with C's results at the type's width."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from migrate.ir.expr import BinaryOp
from migrate.ir.types import BOOL, Kind, Scalar
from migrate.lifting.idioms.folds import Flags, Numbers, Rows, State, unknown

_COMPARE = {
    BinaryOp.LT: np.less,
    BinaryOp.LE: np.less_equal,
    BinaryOp.GT: np.greater,
    BinaryOp.GE: np.greater_equal,
    BinaryOp.EQ: np.equal,
    BinaryOp.NE: np.not_equal,
}


def wrapped(numbers: NDArray[np.int64], kind: Scalar) -> NDArray[np.int64]:
    """Integers at a type's width; 64 bits are kept as they are."""
    if kind == BOOL:
        truth: NDArray[np.int64] = (numbers != 0).astype(np.int64)
        return truth
    if kind.bits >= 64:
        return numbers
    low = numbers & ((1 << kind.bits) - 1)
    if not kind.is_signed:
        return low
    sign = np.int64(1 << (kind.bits - 1))
    signed: NDArray[np.int64] = (low ^ sign) - sign
    return signed


def numeric(op: BinaryOp, a: Rows, b: Rows, kind: Scalar) -> Rows:
    """An operator where both rows are numbers; integers, and comparisons of floats.

    Unsigned 64-bit numbers beyond 2**63 and divisions by 0 stay unknown. Of sums of
    floats only those with 0 are worked out: the rounding of its types is left to the target.
    """
    out = unknown(kind, a.size)
    both: Flags = (a.state == State.KNOWN) & (b.state == State.KNOWN)
    for r in (a, b):
        if r.kind.kind is Kind.U64:
            both &= r.number >= 0
    if op in _COMPARE:
        result: Numbers = _COMPARE[op](a.number, b.number).astype(np.int64)
    elif a.kind.is_float and op is BinaryOp.ADD:
        both &= (a.number == 0) | (b.number == 0)
        result = a.number + b.number
    elif a.kind.is_float:
        return out
    else:
        made = _integer(op, a.number.astype(np.int64), b.number.astype(np.int64), both)
        if made is None:
            return out
        result = wrapped(made, kind)
    out.state[both] = State.KNOWN
    out.number[both] = result[both]
    return out


def _integer(
    op: BinaryOp, a: NDArray[np.int64], b: NDArray[np.int64], both: Flags
) -> NDArray[np.int64] | None:
    match op:
        case BinaryOp.ADD:
            return a + b
        case BinaryOp.SUB:
            return a - b
        case BinaryOp.MUL:
            return a * b
        case BinaryOp.DIV | BinaryOp.REM:
            both &= b != 0
            safe = np.where(b == 0, 1, b)
            whole = np.abs(a) // np.abs(safe) * np.sign(a) * np.sign(safe)
            return whole if op is BinaryOp.DIV else a - whole * safe
        case BinaryOp.AND:
            return a & b
        case BinaryOp.OR:
            return a | b
        case BinaryOp.XOR:
            return a ^ b
        case BinaryOp.SHL | BinaryOp.SHR:
            both &= (b >= 0) & (b < 63)
            by = np.clip(b, 0, 62)
            return a << by if op is BinaryOp.SHL else a >> by
        case _:
            return None


def converted(r: Rows, kind: Scalar) -> Rows:
    """A conversion; folds keep their members only when the type stays."""
    if r.kind == kind:
        return r
    out = unknown(kind, r.size)
    numbers = r.state == State.KNOWN
    if r.kind.is_float:
        numbers &= np.abs(r.number) < 2.0**31
    kept = np.where(numbers, r.number, 0)
    out.state[numbers] = State.KNOWN
    if kind.is_float:
        # Beyond 2**11 a half would round.
        out.state[np.abs(kept) > 2**11] = State.UNKNOWN
        out.number[:] = kept
    else:
        out.number[:] = wrapped(kept.astype(np.int64), kind)
    return out
