"""Runs one region for all lanes of a block with the elements of shared arrays as symbols.

Whole numbers that the block's size decides are worked out. An element of a shared array is a
symbol; so is the product of two, and an accumulator is its old value with products behind it, in
order. All else is unknown (None), and must not decide what is stored where.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from migrate.core.span import NO_SPAN, Span
from migrate.ir.expr import (
    ArrElem,
    Binary,
    BinaryOp,
    Builtin,
    Call,
    Cast,
    Const,
    Expr,
    IndexVar,
    Place,
    Read,
    VarPlace,
)
from migrate.ir.lanes import LaneKernel, Region
from migrate.ir.simt import Assign, Declare, For, If, Stmt
from migrate.ir.types import U32, Array, Kind, Scalar
from migrate.ir.walk import declared_names
from migrate.lifting.idioms.folds import Rows, State, known
from migrate.lifting.idioms.numbers import converted, numeric

Block = tuple[int, int]
"""Threads along x and y."""
_MOST_STATEMENTS = 4096
_AXES = ("x", "y", "z")
_EXACT = {
    Kind.I8: frozenset({Kind.I16, Kind.I32, Kind.I64}),
    Kind.U8: frozenset({Kind.I16, Kind.U16, Kind.I32, Kind.U32, Kind.I64, Kind.U64}),
    Kind.I16: frozenset({Kind.I32, Kind.I64}),
    Kind.U16: frozenset({Kind.I32, Kind.U32, Kind.I64, Kind.U64}),
    Kind.I32: frozenset({Kind.I64}),
    Kind.F16: frozenset({Kind.F32, Kind.F64}),
    Kind.BF16: frozenset({Kind.F32, Kind.F64}),
    Kind.F32: frozenset({Kind.F64}),
}
"""Conversions that keep every value."""
FUSED = frozenset({"fma", "fmaf", "__fmaf_rn", "__fma_rn"})
"""Calls that multiply two operands and add the third."""


class NotFollowed(Exception):
    """The region does more than this can tell."""


class OutOfRange(NotFollowed):
    """An index lies outside its array: the block is larger than the kernel is written for."""


@dataclass(frozen=True, slots=True)
class Element:
    """Of the shared array ``array`` the elements ``at`` (one a lane), converted to ``kind``."""

    array: str
    element: Scalar
    at: NDArray[np.int64]
    kind: Scalar


@dataclass(frozen=True, slots=True)
class Multiplied:
    """The product of two elements."""

    left: Element
    right: Element


@dataclass(frozen=True, slots=True)
class Sum:
    """The value that slot ``slot`` of the lane buffer ``result`` had when the region began, and
    products that were added to it, in order. ``span`` is that of the last addition's statement."""

    result: str
    slot: int
    kind: Scalar
    products: tuple[Multiplied, ...] = ()
    span: Span = NO_SPAN


_Value = Rows | Element | Multiplied | Sum | None


def sums_of(program: LaneKernel, region: Region, block: Block) -> tuple[Sum, ...]:
    """The accumulators that a region adds products to. Raises :class:`NotFollowed`."""
    run = _Run(program, block)
    run.stmts(region.body)
    return run.sums()


class _Run:
    def __init__(self, program: LaneKernel, block: Block) -> None:
        self._block = (*block, 1)
        self._lanes = block[0] * block[1]
        self._arrays = {a.name: a for a in program.arrays}
        self._buffers = {b.name: b.type for b in program.buffers}
        self._slots: dict[tuple[str, int], _Value] = {}
        self._locals: dict[str, _Value] = {}
        self._work = 0

    def sums(self) -> tuple[Sum, ...]:
        """Slots whose value is their old one with products behind it."""
        found: list[Sum] = []
        for (name, slot), value in self._slots.items():
            match value:
                case Sum(result, number, products=p) if p:
                    if (result, number) != (name, slot):
                        raise NotFollowed
                    found.append(value)
                case _:
                    pass
        return tuple(found)

    # --- statements

    def stmts(self, body: tuple[Stmt, ...]) -> None:
        self._count()
        for s in body:
            self._count()
            self._stmt(s)

    def _count(self) -> None:
        self._work += 1
        if self._work > _MOST_STATEMENTS:
            raise NotFollowed

    def _stmt(self, s: Stmt) -> None:
        match s:
            case Declare(name, Scalar(), init):
                self._locals[name] = None if init is None else self._value(init)
            case Assign(place, value):
                self._assign(s, place, self._value(value))
            case If(cond, then, other):
                test = self._test(cond)
                self.stmts(then if test else other)
            case For(init, cond, step, body):
                self.stmts(init)
                while self._test(cond):
                    self.stmts(body)
                    self.stmts(step)
                for name in declared_names(init):
                    self._locals.pop(name, None)
            case _:
                raise NotFollowed

    def _assign(self, s: Assign, place: Place, value: _Value) -> None:
        if isinstance(value, Sum):
            value = replace(value, span=s.span)
        match place:
            case VarPlace(name) if name in self._locals:
                self._locals[name] = value
            case VarPlace(name) if name in self._buffers:
                self._slots[name, 0] = value
            case ArrElem(VarPlace(name), index) if name in self._buffers:
                self._slots[name, self._slot(index)] = value
            case _:
                raise NotFollowed

    def _test(self, cond: Expr) -> bool:
        """A test on which all lanes agree."""
        found = self._value(cond)
        if not isinstance(found, Rows) or not found.is_known():
            raise NotFollowed
        truth = found.number != 0
        if truth.any() != truth.all():
            raise NotFollowed
        return bool(truth.all())

    def _slot(self, index: Expr) -> int:
        """The slot of a lane's own array: the same in all lanes."""
        found = self._value(index)
        if not isinstance(found, Rows) or not found.is_known() or np.ptp(found.number):
            raise NotFollowed
        return int(found.number[0])

    # --- values

    def _value(self, e: Expr) -> _Value:
        kind = e.type
        if not isinstance(kind, Scalar):
            return None
        match e:
            case Const(value) if not kind.is_float and int(value) < 1 << 63:
                return known(kind, np.full(self._lanes, int(value), np.int64))
            case IndexVar(builtin, axis):
                return self._index(builtin, axis)
            case Read(place):
                return self._read(place)
            case Cast(operand):
                return _cast(self._value(operand), kind)
            case Binary(op, lhs, rhs):
                return _binary(op, self._value(lhs), self._value(rhs), kind)
            case Call(name, (a, b, c)) if name in FUSED:
                product = _binary(BinaryOp.MUL, self._value(a), self._value(b), kind)
                return _binary(BinaryOp.ADD, product, self._value(c), kind)
            case _:
                return None

    def _index(self, builtin: Builtin, axis: str) -> _Value:
        x, y, _ = self._block
        lane = np.arange(self._lanes, dtype=np.int64)
        match builtin:
            case Builtin.THREAD:
                of_axis = {"x": lane % x, "y": lane // x, "z": lane // (x * y)}
                return known(U32, of_axis[axis])
            case Builtin.BLOCK_DIM:
                return known(U32, np.full(self._lanes, self._block[_AXES.index(axis)], np.int64))
            case _:
                return None

    def _read(self, place: Place) -> _Value:
        match place:
            case VarPlace(name) if name in self._locals:
                return self._locals[name]
            case VarPlace(name, Scalar() as kind) if name in self._buffers:
                return self._slots.get((name, 0), Sum(name, 0, kind))
            case ArrElem(VarPlace(name, Array(Scalar() as kind)), index) if name in self._buffers:
                slot = self._slot(index)
                return self._slots.get((name, slot), Sum(name, slot, kind))
            case ArrElem(VarPlace(name), index) if name in self._arrays:
                array = self._arrays[name]
                at = self._value(index)
                if not isinstance(at, Rows) or not at.is_known():
                    return None
                if at.number.min() < 0 or at.number.max() >= array.length:
                    raise OutOfRange
                return Element(name, array.element, at.number.astype(np.int64), array.element)
            case _:
                return None


def _cast(value: _Value, kind: Scalar) -> _Value:
    match value:
        case Rows():
            return converted(value, kind)
        case Element() if value.kind == kind or kind.kind in _EXACT.get(value.kind.kind, ()):
            return replace(value, kind=kind)
        case Sum() if value.kind == kind:
            return value
        case _:
            return None


def _binary(op: BinaryOp, a: _Value, b: _Value, kind: Scalar) -> _Value:
    match op, a, b:
        case _, Rows(), Rows():
            found = numeric(op, a, b, kind)
            return found if (found.state == State.KNOWN).all() else None
        case BinaryOp.MUL, Element(), Element() if a.kind == b.kind == kind:
            return Multiplied(a, b)
        case (BinaryOp.ADD, Sum() as old, Multiplied() as new) | (
            BinaryOp.ADD,
            Multiplied() as new,
            Sum() as old,
        ) if old.kind == new.left.kind == kind:
            return replace(old, products=(*old.products, new))
        case _:
            return None
