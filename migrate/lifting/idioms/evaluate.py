"""Expressions over abstract values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from migrate.ir.expr import (
    LOGICAL,
    Binary,
    BinaryOp,
    Builtin,
    Call,
    Cast,
    Const,
    Expr,
    IndexVar,
    Read,
    Select,
    Unary,
    UnaryOp,
)
from migrate.ir.types import BOOL, I64, U32, Kind, Scalar
from migrate.ir.walk import children
from migrate.lifting.idioms.folds import (
    Flags,
    FoldOp,
    Rows,
    State,
    choose,
    combine,
    constant,
    known,
    negated,
    unknown,
)
from migrate.lifting.idioms.numbers import converted, numeric, wrapped

Given = Callable[[Read, Flags], Rows]
"""The value of a read, for the lanes that possibly do it."""
Made = Callable[[Binary, Rows, Flags], None]
"""Told of the value of an operator, for the lanes that possibly compute it."""

FOLDED = frozenset({Kind.F32, Kind.F64, Kind.I32, Kind.U32, Kind.I64, Kind.U64})
"""Types whose values are folded."""
_CALLS = {
    "fmaxf": FoldOp.MAX,
    "fmax": FoldOp.MAX,
    "max": FoldOp.MAX,
    "fminf": FoldOp.MIN,
    "fmin": FoldOp.MIN,
    "min": FoldOp.MIN,
}
_SUMS = (BinaryOp.ADD, BinaryOp.SUB)
_GREATER = {BinaryOp.GT: True, BinaryOp.GE: True, BinaryOp.LT: False, BinaryOp.LE: False}


class Evaluator:
    """Works out expressions for all lanes of a block."""

    def __init__(self, lanes: int, given: Given, made: Made) -> None:
        self._lanes = lanes
        self._given = given
        self._made = made
        self._threads = known(U32, np.arange(lanes, dtype=np.int64))

    def __call__(self, e: Expr, may: Flags) -> Rows:
        """The value for the lanes of ``may``; rows of other lanes mean nothing."""
        kind = e.type
        if not isinstance(kind, Scalar):
            for x in children(e):
                self(x, may)
            return unknown(I64, self._lanes)
        match e:
            case Const(value):
                number = value if kind.is_float else _as_signed(int(value))
                return constant(kind, number, self._lanes)
            case IndexVar(builtin, axis):
                return self._index(builtin, axis)
            case Read():
                return self._given(e, may)
            case Cast(operand):
                return converted(self(operand, may), kind)
            case Unary(op, operand):
                return self._unary(op, self(operand, may), kind)
            case Binary(op, lhs, rhs) if op in LOGICAL:
                return self._logical(op, lhs, rhs, may)
            case Binary(op, lhs, rhs):
                rows = self._binary(op, self(lhs, may), self(rhs, may), kind)
                self._made(e, rows, may)
                return rows
            case Select():
                return self._select(e, may, kind)
            case Call(name, args):
                values = [self(a, may) for a in args]
                op_ = _CALLS.get(name)
                if op_ is not None and len(values) == 2 and kind.kind in FOLDED:
                    return self._extreme_of(op_, *values)
                return unknown(kind, self._lanes)
            case _:
                for x in children(e):
                    self(x, may)
                return unknown(kind, self._lanes)

    def _index(self, builtin: Builtin, axis: str) -> Rows:
        zeros = np.zeros(self._lanes, np.int64)
        match builtin:
            case Builtin.THREAD:
                return self._threads if axis == "x" else known(U32, zeros)
            case Builtin.BLOCK_DIM:
                return known(U32, zeros + (self._lanes if axis == "x" else 1))
            case _:
                return unknown(U32, self._lanes)

    def _unary(self, op: UnaryOp, r: Rows, kind: Scalar) -> Rows:
        numbers = r.state == State.KNOWN
        out = unknown(kind, self._lanes)
        if kind.is_float and op is UnaryOp.NEG:
            out.number[:] = -r.number
        elif op is UnaryOp.NOT:
            out.number[:] = r.number == 0
        else:
            whole = r.number.astype(np.int64)
            out.number[:] = wrapped(-whole if op is UnaryOp.NEG else ~whole, kind)
        out.state[numbers] = State.KNOWN
        return out

    def _logical(self, op: BinaryOp, lhs: Expr, rhs: Expr, may: Flags) -> Rows:
        a = self(lhs, may)
        decides = (a.state == State.KNOWN) & ((a.number == 0) == (op is BinaryOp.LAND))
        b = self(rhs, may & ~decides)
        out = unknown(BOOL, self._lanes)
        truth = (b.state == State.KNOWN) & ((b.number == 0) == (op is BinaryOp.LAND))
        both = (a.state == State.KNOWN) & (b.state == State.KNOWN)
        sure = decides | truth | both
        out.state[sure] = State.KNOWN
        value = (decides | truth) == (op is BinaryOp.LOR)
        out.number[:] = value
        return out

    def _binary(self, op: BinaryOp, a: Rows, b: Rows, kind: Scalar) -> Rows:
        numbers = numeric(op, a, b, kind)
        if op not in _SUMS or kind.kind not in FOLDED:
            return numbers
        if op is BinaryOp.SUB:
            if kind.is_float:
                return numbers  # rounds: what is taken away again leaves its mark
            b = negated(b)
        both = (a.state == State.KNOWN) & (b.state == State.KNOWN)
        return choose(both, numbers, combine(FoldOp.SUM, a, b))

    def _extreme_of(self, op: FoldOp, a: Rows, b: Rows) -> Rows:
        both = (a.state == State.KNOWN) & (b.state == State.KNOWN)
        if not both.any():
            return combine(op, a, b)
        numbers = a.copy()
        pick = np.maximum if op is FoldOp.MAX else np.minimum
        numbers.number[:] = pick(a.number, b.number)
        return choose(both, numbers, combine(op, a, b))

    def _select(self, e: Select, may: Flags, kind: Scalar) -> Rows:
        cond = self(e.cond, may)
        sure = cond.state == State.KNOWN
        yes = cond.number != 0
        a = self(e.then, may & (~sure | yes))
        b = self(e.other, may & (~sure | ~yes))
        out = choose(yes, a, b)
        lost = ~sure
        folded = None if kind.is_float else _extreme(e)
        if folded is not None and kind.kind in FOLDED:
            return choose(lost, combine(folded, a, b), out)
        out.forget(lost)
        return out


def _extreme(e: Select) -> FoldOp | None:
    """``a > b ? a : b`` and its kin, of integers: with NaN the order of operands counts."""
    match e.cond:
        case Binary(op, lhs, rhs) if op in _GREATER and {lhs, rhs} == {e.then, e.other}:
            return FoldOp.MAX if _GREATER[op] == (lhs == e.then) else FoldOp.MIN
        case _:
            return None


def _as_signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
