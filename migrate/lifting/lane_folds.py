"""What operations among lanes add up to: folds over a warp, and expressions they are made of."""

from __future__ import annotations

from collections.abc import Callable

from migrate.analysis.constants import const
from migrate.ir.expr import Binary, BinaryOp, Bitcast, Cast, Const, Expr, Select
from migrate.ir.types import I32, U16, U32, U64, Scalar


def number(value: int) -> Const:
    """An i32 number."""
    return const(value, I32)


def binary(op: BinaryOp, a: Expr, b: Expr) -> Expr:
    """An operator."""
    return Binary(op, a, b)


def conjunction(conditions: list[Expr]) -> Expr:
    """All conditions, tested in order."""
    whole = conditions[0]
    for c in conditions[1:]:
        whole = Binary(BinaryOp.LAND, whole, c)
    return whole


def nonzero(e: Expr) -> Expr:
    """Whether a number is not 0."""
    zero = const(0, e.type) if isinstance(e.type, Scalar) else number(0)
    return Binary(BinaryOp.NE, e, zero)


def is_zero(e: Expr) -> Expr:
    """Whether a number is 0."""
    zero = const(0, e.type) if isinstance(e.type, Scalar) else number(0)
    return Binary(BinaryOp.EQ, e, zero)


def same_bits(left: Expr, right: Expr) -> Expr:
    """Whether two values have the same bits."""
    kind = left.type
    if isinstance(kind, Scalar) and kind.is_float:
        bits = _BITS_OF[kind.bytes]
        left, right = Bitcast(left, bits), Bitcast(right, bits)
    return Binary(BinaryOp.EQ, left, right)


_BITS_OF = {2: U16, 4: U32, 8: U64}
BITS = frozenset({"ballot", "any", "all", "match_any", "activemask"})

Fold = Callable[[Expr, Expr | None, Expr | None, Expr], Expr]
_Row = tuple[Callable[[Scalar, Expr | None], Expr], Fold, Callable[[Expr, Scalar], Expr]]


def _zero(kind: Scalar, _: Expr | None) -> Expr:
    return const(0, kind)


def _set_bit(total: Expr, _own: Expr | None, _theirs: Expr | None, k: Expr) -> Expr:
    return binary(BinaryOp.OR, total, binary(BinaryOp.SHL, Const(1, U32), k))


def _as(total: Expr, kind: Scalar) -> Expr:
    return total if total.type == kind else Cast(total, kind)


def _any(total: Expr, kind: Scalar) -> Expr:
    return Cast(nonzero(total), kind)


def _none(total: Expr, kind: Scalar) -> Expr:
    return Cast(is_zero(total), kind)


def sure(e: Expr | None) -> Expr:
    """The value of an operation that has one."""
    if e is None:
        raise TypeError("an operation of lanes lacks its value")
    return e


def _folded(op: BinaryOp) -> Fold:
    return lambda total, _own, theirs, _k: binary(op, total, sure(theirs))


def _chosen(op: BinaryOp) -> Fold:
    def fold(total: Expr, _own: Expr | None, theirs: Expr | None, _k: Expr) -> Expr:
        other = sure(theirs)
        return Select(binary(op, other, total), other, total)

    return fold


def _own(_: Scalar, own: Expr | None) -> Expr:
    return sure(own)


def _ones(kind: Scalar, _: Expr | None) -> Expr:
    return const(-1 if kind.is_signed else (1 << kind.bits) - 1, kind)


FOLDS: dict[str, _Row] = {
    "ballot": (_zero, _set_bit, _as),
    "any": (_zero, _set_bit, _any),
    "all": (_zero, _set_bit, _none),
    "match_any": (_zero, _set_bit, _as),
    "activemask": (_zero, _set_bit, _as),
    "add": (_zero, _folded(BinaryOp.ADD), _as),
    "or": (_zero, _folded(BinaryOp.OR), _as),
    "xor": (_zero, _folded(BinaryOp.XOR), _as),
    "and": (_ones, _folded(BinaryOp.AND), _as),
    "min": (_own, _chosen(BinaryOp.LT), _as),
    "max": (_own, _chosen(BinaryOp.GT), _as),
}
"""For each operation its start, what a lane adds, and the result."""
