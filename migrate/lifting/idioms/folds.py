"""Abstract values of the lanes of a block: numbers that are known, and folds of what is not.

A *fold* is what an operation that is associative and commutative makes of values of several lanes:
it is known how often each lane's value went in, whatever the order. A sum over the block is the
fold into which each lane goes once. Nothing is assumed of the values themselves.

The multiset of lanes is kept as a fingerprint: each lane has a random weight of two 64-bit words,
and ``weight`` is the sum of the weights that went in, modulo 2**64. Two multisets that differ, with
counts below 2**15, have one fingerprint with a probability below 2**-98 (a sum with one odd factor,
after at most 15 halvings, is uniform in each word).

Rows of a :class:`Rows` are lanes, or elements of a shared array.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from migrate.ir.types import Scalar
from migrate.lifting.idioms.orders import mixed

Flags = NDArray[np.bool_]
Numbers = NDArray[np.float64] | NDArray[np.int64]
Places = NDArray[np.int64]


class State(IntEnum):
    """What is known of a row."""

    UNKNOWN = 0
    KNOWN = 1
    FOLD = 2


class FoldOp(IntEnum):
    """Operations that may be done in any order; ``ONE`` is a value by itself."""

    ONE = 0
    SUM = 1
    MAX = 2
    MIN = 3


@dataclass(slots=True)
class Rows:
    """One abstract value a row.

    ``number`` is the value of a KNOWN row. A FOLD row is ``op`` over lanes of ``group``, those that
    ``weight`` stands for, in the order that ``order`` stands for (:mod:`orders`); for MAX and MIN
    also over the number ``floor``.
    """

    kind: Scalar
    state: NDArray[np.int8]
    number: Numbers
    group: NDArray[np.int32]
    op: NDArray[np.int8]
    floor: NDArray[np.float64]
    weight: NDArray[np.uint64]
    order: NDArray[np.uint64]

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.state)

    def take(self, at: Places) -> Rows:
        """The rows at some places."""
        return Rows(
            self.kind,
            self.state[at],
            self.number[at],
            self.group[at],
            self.op[at],
            self.floor[at],
            self.weight[at],
            self.order[at],
        )

    def put(self, at: Places, new: Rows) -> None:
        """Overwrite rows; of two for one place the last one stays."""
        self.state[at] = new.state
        self.number[at] = new.number
        self.group[at] = new.group
        self.op[at] = new.op
        self.floor[at] = new.floor
        self.weight[at] = new.weight
        self.order[at] = new.order

    def forget(self, at: Flags) -> None:
        """Nothing is known of these rows any more."""
        self.state[at] = State.UNKNOWN

    def copy(self) -> Rows:
        """A copy that can be changed."""
        return Rows(
            self.kind,
            self.state.copy(),
            self.number.copy(),
            self.group.copy(),
            self.op.copy(),
            self.floor.copy(),
            self.weight.copy(),
            self.order.copy(),
        )

    def is_known(self) -> bool:
        """Whether every row is a number."""
        return bool((self.state == State.KNOWN).all())


def unknown(kind: Scalar, size: int) -> Rows:
    """Rows of which nothing is known."""
    number: Numbers = np.zeros(size, np.float64) if kind.is_float else np.zeros(size, np.int64)
    return Rows(
        kind,
        np.zeros(size, np.int8),
        number,
        np.full(size, -1, np.int32),
        np.zeros(size, np.int8),
        np.zeros(size, np.float64),
        np.zeros((size, 2), np.uint64),
        np.zeros(size, np.uint64),
    )


def constant(kind: Scalar, value: float, size: int) -> Rows:
    """Rows of one number."""
    rows = unknown(kind, size)
    rows.state[:] = State.KNOWN
    rows.number[:] = value if kind.is_float else int(value)
    return rows


def known(kind: Scalar, numbers: Numbers) -> Rows:
    """Rows of numbers."""
    rows = unknown(kind, len(numbers))
    rows.state[:] = State.KNOWN
    rows.number[:] = numbers
    return rows


def weights(lanes: int) -> NDArray[np.uint64]:
    """The weight of each lane."""
    return np.random.default_rng(20_10).integers(0, 2**64, (lanes, 2), np.uint64)


def seeds(kind: Scalar, group: int, weight: NDArray[np.uint64]) -> Rows:
    """Rows that are the values of lanes themselves, whose weights are given."""
    rows = unknown(kind, len(weight))
    rows.state[:] = State.FOLD
    rows.group[:] = group
    rows.weight[:] = weight
    rows.order[:] = weight[:, 0]
    return rows


def choose(where: Flags, a: Rows, b: Rows) -> Rows:
    """Row by row ``a`` where a condition holds, else ``b``."""
    out = b.copy()
    at = np.flatnonzero(where)
    out.put(at, a.take(at))
    return out


def negated(r: Rows) -> Rows:
    """``-r`` as an operand of a sum of integers, which wrap: its members count the other way."""
    out = r.copy()
    folds = (r.state == State.FOLD) & ((r.op == FoldOp.ONE) | (r.op == FoldOp.SUM))
    out.op[folds] = FoldOp.SUM
    out.weight[folds] = (np.uint64(0) - r.weight)[folds]
    out.state[(r.state == State.FOLD) & ~folds] = State.UNKNOWN
    return out


def same(a: Rows, b: Rows) -> Flags:
    """Which rows of two values are alike."""
    both = a.state == b.state
    numbers = (a.number == b.number) | (a.state != State.KNOWN)
    folds = (a.group == b.group) & (a.op == b.op) & (a.floor == b.floor)
    folds &= a.order == b.order
    folds &= (a.weight == b.weight).all(axis=1)
    alike: Flags = both & numbers & (folds | (a.state != State.FOLD))
    return alike


def identity(op: FoldOp, kind: Scalar) -> float:
    """The number that a fold begins with."""
    if op is FoldOp.SUM:
        return 0.0
    low = -np.inf if kind.is_float else -float(1 << (kind.bits - 1)) if kind.is_signed else 0.0
    bits = kind.bits - 1 if kind.is_signed else kind.bits
    high = np.inf if kind.is_float else float((1 << bits) - 1)
    return float(low if op is FoldOp.MAX else high)


def combine(op: FoldOp, a: Rows, b: Rows) -> Rows:
    """``op`` of two values, one of which at least is a fold in each row that is known after it."""
    out = unknown(a.kind, a.size)
    begin = identity(op, a.kind)
    fits_a, floor_a = _operand(op, a, begin)
    fits_b, floor_b = _operand(op, b, begin)
    folds_a, folds_b = a.state == State.FOLD, b.state == State.FOLD
    together = (a.group == b.group) | ~folds_a | ~folds_b
    good = fits_a & fits_b & (folds_a | folds_b) & together
    out.state[good] = State.FOLD
    out.op[good] = op
    out.group[good] = np.where(folds_a, a.group, b.group)[good]
    floor = floor_b
    if op is FoldOp.MAX:
        floor = np.maximum(floor_a, floor_b)
    if op is FoldOp.MIN:
        floor = np.minimum(floor_a, floor_b)
    out.floor[good] = floor[good]
    total = np.where(folds_a[:, None], a.weight, 0) + np.where(folds_b[:, None], b.weight, 0)
    out.weight[good] = total.astype(np.uint64)[good]
    nothing = np.uint64(0)
    order_a, order_b = np.where(folds_a, a.order, nothing), np.where(folds_b, b.order, nothing)
    out.order[good] = mixed(order_a, order_b)[good]
    return out


def _operand(op: FoldOp, r: Rows, begin: float) -> tuple[Flags, NDArray[np.float64]]:
    """Which rows can go into a fold, and the number that goes in with them.

    A number is no member. Into a sum only 0 may go; the largest of values and a number is a
    largest value with a floor. An integer beyond 2**53 is not told from its neighbours here.
    """
    floor = np.full(r.size, begin)
    folds = (r.state == State.FOLD) & ((r.op == op) | (r.op == FoldOp.ONE))
    floored = (r.state == State.FOLD) & (r.op == op)
    floor[floored] = r.floor[floored]
    numbers = r.state == State.KNOWN
    if op is FoldOp.SUM:
        return folds | (numbers & (r.number == 0)), np.zeros(r.size)
    small = np.abs(r.number.astype(np.float64)) < 2.0**53
    fits = numbers & (small | np.isinf(r.number))
    floor[fits] = r.number[fits]
    return folds | fits, floor
