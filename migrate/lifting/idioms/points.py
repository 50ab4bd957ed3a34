"""The threads of a block and the rounds of their loops, as points of a tile.

A store is run for one size of block, for all threads and rounds at once. Each run of it is a point;
where it stores says which element of a tile it is for. What threads work out of their number is a
number at each point, and is written again as ``c + a * row + b * column`` where that is what it is
at every point::

    for (i = tid; i < 256; i += 128)            for row, column in the tile [32, 8]:
      tile.[(i / 8) * 9 + i % 8] = p[i / 8]       tile.[row].[column] = p[row]

``threadIdx.y`` and ``threadIdx.x`` in what comes out are the row and the column of the element. No
shape of code is looked for, and nothing holds for another size of block.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from migrate.analysis.constants import const
from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Builtin,
    Cast,
    Const,
    Expr,
    IndexVar,
    Read,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.simt import Assign, Declare, For
from migrate.ir.types import BOOL, I32, U32, Scalar
from migrate.lifting.fold import fold_expr
from migrate.lifting.idioms.folds import State, known
from migrate.lifting.idioms.leaves import NoTiles
from migrate.lifting.idioms.numbers import converted, numeric, wrapped

Ints = NDArray[np.int64]
Block = tuple[int, int]
_MOST_ROUNDS = 1024
_MOST_POINTS = 1 << 18


@dataclass(frozen=True, slots=True)
class Points:
    """Runs of one statement: ``thread`` numbers along x and y, and of each loop the value of its
    counter and the number of the round."""

    block: Block
    x: Ints
    y: Ints
    counters: Mapping[str, tuple[Scalar, Ints]]
    rounds: Mapping[str, Ints]

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.x)

    @property
    def lane(self) -> Ints:
        """The number of the thread."""
        return self.x + self.block[0] * self.y

    def take(self, at: NDArray[np.int64] | NDArray[np.bool_]) -> Points:
        """Some of them."""
        return Points(
            self.block,
            self.x[at],
            self.y[at],
            {n: (k, v[at]) for n, (k, v) in self.counters.items()},
            {n: v[at] for n, v in self.rounds.items()},
        )

    # --- numbers

    def number(self, e: Expr) -> Ints | None:
        """What an expression is at each point, when threads, counters and constants decide it."""
        kind = e.type
        if not isinstance(kind, Scalar) or kind.is_float:
            return None
        match e:
            case Const(value) if abs(int(value)) < 1 << 62:
                return np.full(self.size, int(value), np.int64)
            case IndexVar(Builtin.THREAD, axis):
                zero = np.zeros(self.size, np.int64)
                return {"x": self.x, "y": self.y}.get(axis, zero)
            case IndexVar(Builtin.BLOCK_DIM, axis):
                sizes = {"x": self.block[0], "y": self.block[1]}
                return np.full(self.size, sizes.get(axis, 1), np.int64)
            case Read(VarPlace(name)) if name in self.counters:
                return self.counters[name][1]
            case Cast(operand):
                return self._cast(operand, kind)
            case Unary(op, operand):
                inner = self.number(operand)
                return None if inner is None else _unary(op, inner, kind)
            case Binary(op, lhs, rhs):
                return self._binary(op, lhs, rhs, kind)
            case _:
                return None

    def _cast(self, operand: Expr, kind: Scalar) -> Ints | None:
        inner = self.number(operand)
        source = operand.type
        if inner is None or not isinstance(source, Scalar):
            return None
        return converted(known(source, inner), kind).number.astype(np.int64)

    def _binary(self, op: BinaryOp, lhs: Expr, rhs: Expr, kind: Scalar) -> Ints | None:
        a, b = self.number(lhs), self.number(rhs)
        if a is None or b is None:
            return None
        if op in (BinaryOp.LAND, BinaryOp.LOR):
            both = (a != 0) & (b != 0) if op is BinaryOp.LAND else (a != 0) | (b != 0)
            truth: Ints = both.astype(np.int64)
            return truth
        assert isinstance(lhs.type, Scalar) and isinstance(rhs.type, Scalar)
        made = numeric(op, known(lhs.type, a), known(rhs.type, b), kind)
        return made.number.astype(np.int64) if (made.state == State.KNOWN).all() else None


def _unary(op: UnaryOp, inner: Ints, kind: Scalar) -> Ints:
    match op:
        case UnaryOp.NEG:
            return wrapped(-inner, kind)
        case UnaryOp.BITNOT:
            return wrapped(~inner, kind)
        case UnaryOp.NOT:
            truth: Ints = (inner == 0).astype(np.int64)
            return truth


def all_points(block: Block, loops: tuple[For, ...]) -> Points:
    """The runs of what stands in these loops. Loops whose bounds are not known for the size of the
    block alone have no counter in the result. Raises :class:`NoTiles`."""
    lane = np.arange(block[0] * block[1], dtype=np.int64)
    points = Points(block, lane % block[0], lane // block[0], {}, {})
    for s in loops:
        points = _rounds(points, s)
    return points


def counter_of(s: For) -> tuple[str, Scalar, Expr]:
    """The counter of a loop with its type and where it begins."""
    match s.init[0]:
        case Declare(name, Scalar() as kind, init) if init is not None and not kind.is_float:
            return name, kind, init
        case _:
            raise NoTiles


def _rounds(points: Points, s: For) -> Points:
    name, kind, init = counter_of(s)
    now = points.number(init)
    at = np.arange(points.size)
    inside = points if now is None else _with_counter(points, name, kind, now, 0)
    if now is None or inside.number(s.cond) is None:
        return points
    found: list[Points] = []
    for number in range(_MOST_ROUNDS):
        inside = _with_counter(points.take(at), name, kind, now, number)
        test = inside.number(s.cond)
        if test is None:
            raise NoTiles
        left = test != 0
        if not left.any():
            return _joined(points, found)
        inside = inside.take(left)
        found.append(inside)
        match s.step[0]:
            case Assign(_, value):
                step = inside.number(value)
            case _:
                step = None
        if step is None or sum(p.size for p in found) > _MOST_POINTS:
            raise NoTiles
        at, now = at[left], step
    raise NoTiles


def _with_counter(points: Points, name: str, kind: Scalar, now: Ints, number: int) -> Points:
    counters = {**points.counters, name: (kind, now)}
    rounds = {**points.rounds, name: np.full(points.size, number, np.int64)}
    return Points(points.block, points.x, points.y, counters, rounds)


def _joined(points: Points, found: list[Points]) -> Points:
    if not found:
        raise NoTiles  # Nobody takes a round.
    first = found[0]
    return Points(
        points.block,
        np.concatenate([p.x for p in found]),
        np.concatenate([p.y for p in found]),
        {
            n: (k, np.concatenate([p.counters[n][1] for p in found]))
            for n, (k, _) in first.counters.items()
        },
        {n: np.concatenate([p.rounds[n] for p in found]) for n in first.rounds},
    )


@dataclass(frozen=True, slots=True)
class Box:
    """Points in the order of a tile's elements, ``[rounds of serial loops, rows, columns]``."""

    points: Points
    rows: int
    columns: int
    serial: tuple[str, ...]
    row: Ints
    column: Ints

    @property
    def folded(self) -> frozenset[str]:
        """Counters of loops that became part of the box."""
        return frozenset(self.points.counters) - frozenset(self.serial)

    @property
    def repeats(self) -> bool:
        """Whether a thread has several points in one round of the loops that stay."""
        return any(self.points.rounds[n].any() for n in self.folded)

    def affine(self, numbers: Ints, kind: Scalar) -> Expr | None:
        """Numbers of points as a sum of multiples of row, column and counters."""
        terms: list[tuple[int, Expr]] = []
        rest = numbers.copy()
        parts = [(self.row, _index("y", kind)), (self.column, _index("x", kind))]
        for name in self.serial:
            of_counter, values = self.points.counters[name]
            parts.append((values, _cast(Read(VarPlace(name, of_counter)), kind)))
        matrix = np.stack([np.ones_like(rest), *(p[0] for p in parts)], axis=1)
        factors = _factors(matrix, rest)
        if factors is None:
            return None
        terms = [(f, e) for f, (_, e) in zip(factors[1:], parts, strict=True) if f]
        made: Expr | None = None
        for factor, e in terms:
            term = e if factor == 1 else Binary(BinaryOp.MUL, e, const(factor, kind))
            if factor < 0 and not kind.is_signed:
                return None
            made = term if made is None else Binary(BinaryOp.ADD, made, term)
        first = const(factors[0], kind) if factors[0] >= 0 or kind.is_signed else None
        if first is None:
            return None
        if made is None:
            return first
        return made if not factors[0] else Binary(BinaryOp.ADD, made, first)


def _factors(matrix: Ints, numbers: Ints) -> tuple[int, ...] | None:
    """Whole factors of the columns of a matrix that make up numbers in every row."""
    # Some rows are enough to guess them; all rows are tested.
    at = np.random.default_rng(7).integers(0, len(numbers), min(len(numbers), 512))
    some = matrix[at].astype(np.float64)
    solved, *_ = np.linalg.lstsq(some, numbers[at].astype(np.float64), rcond=None)
    factors = np.rint(solved).astype(np.int64)
    if not np.array_equal(matrix @ factors, numbers):
        return None
    return tuple(int(f) for f in factors)


def _index(axis: str, kind: Scalar) -> Expr:
    """The row or the column as a value of a type."""
    index = IndexVar(Builtin.THREAD, axis)
    return index if kind == U32 else _cast(Cast(index, I32), kind)


def _cast(e: Expr, kind: Scalar) -> Expr:
    return e if e.type == kind else Cast(e, kind)


def box_of(points: Points, row: Ints, column: Ints) -> Box:
    """The tile that rows and columns of points fill, each element once in each round of the loops
    that do not say which element it is. Raises :class:`NoTiles`."""
    if row.min() < 0 or column.min() < 0:
        raise NoTiles
    serial = tuple(n for n in points.counters if _is_serial(points, n, row, column))
    rows, columns = int(row.max()) + 1, int(column.max()) + 1
    keys = [points.rounds[n] for n in serial]
    order = np.lexsort((column, row, *reversed(keys)))
    sizes = [int(k.max()) + 1 for k in keys]
    if points.size != rows * columns * int(np.prod(sizes, dtype=np.int64)):
        raise NoTiles
    shape = (*sizes, rows, columns)
    want = np.indices(shape).reshape(len(shape), -1)
    have = np.stack([*keys, row, column])[:, order]
    if not np.array_equal(want, have):
        raise NoTiles
    for n in serial:
        _alike(points, n)
    return Box(points.take(order), rows, columns, serial, row[order], column[order])


def _is_serial(points: Points, name: str, row: Ints, column: Ints) -> bool:
    """Whether the rounds of a loop, two or more, all store to the same elements of a thread."""
    if not points.rounds[name].any():
        return False
    where = points.lane
    for other, rounds in points.rounds.items():
        if other != name:
            where = where * (int(rounds.max()) + 1) + rounds
    _, group = np.unique(where, return_inverse=True)
    first = np.full(int(group.max()) + 1, -1, np.int64)
    flat = row * (int(column.max()) + 1) + column
    group = group.reshape(-1)
    first[group] = flat
    return bool((first[group] == flat).all())


def _alike(points: Points, name: str) -> None:
    """The counter of a serial loop is the same for all threads in each round."""
    rounds, values = points.rounds[name], points.counters[name][1]
    first = np.zeros(int(rounds.max()) + 1, np.int64)
    first[rounds] = values
    if not np.array_equal(first[rounds], values):
        raise NoTiles


class Rewritten:
    """Expressions of threads as expressions of the elements of a box."""

    def __init__(self, box: Box) -> None:
        self._box = box

    def number(self, e: Expr) -> Expr | None:
        """A whole number of the thread as one of the element; None where it is more than that."""
        if not isinstance(e.type, Scalar) or isinstance(e, Const):
            return None
        numbers = self._box.points.number(e)
        if numbers is None:
            return None
        if e.type == BOOL:
            same = bool((numbers == numbers[0]).all())
            return const(int(numbers[0]), BOOL) if same else None
        made = self._box.affine(numbers, e.type)
        return None if made is None else _folded(made)


def _folded(e: Expr) -> Expr:
    return fold_expr(e) or e
