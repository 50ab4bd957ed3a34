"""Which tile each shared array and each sum of the threads is, for one size of block.

A shared array is flat here: its rows are found by trying the factors that its indices have. One
fits when every store to the array fills the same box, and every element that is read lies in it at
an affine place. A lane buffer has an element of a fragment in each thread: the one where the row
and the column of its product meet (:mod:`migrate.lifting.idioms.products`), else the thread's own
place in the block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from migrate.ir.expr import (
    ArrElem,
    Binary,
    BinaryOp,
    Builtin,
    Const,
    Expr,
    IndexVar,
    Place,
    PtrElem,
    Read,
    VarPlace,
)
from migrate.ir.lanes import LaneKernel, Region, walk_lanes
from migrate.ir.tile_code import BlockTile
from migrate.ir.types import BOOL, I32, Array, Scalar
from migrate.ir.walk import root, walk_expr
from migrate.lifting.idioms.leaves import MEMORY, Leaf, NoTiles
from migrate.lifting.idioms.points import Block, Box, Ints, Points, all_points, box_of
from migrate.lifting.idioms.products import Placed, multiplies, placed
from migrate.lifting.idioms.rows import block_names
from migrate.lifting.idioms.symbols import NotFollowed

Regions = Mapping[int, tuple[Leaf, ...]]
"""The stores of each region, by its identity."""


@dataclass(frozen=True, slots=True)
class _Matrix:
    """A shared array: elements from one row to the next, rows and columns that are used."""

    stride: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class _Spread:
    """A lane buffer: of each slot the row and the column that it is in every lane."""

    rows: int
    columns: int
    slots: Mapping[int, tuple[Ints, Ints]]


def conjuncts(guards: Iterable[Expr]) -> Iterator[Expr]:
    """Conditions without ``&&`` at their top."""
    for e in guards:
        if isinstance(e, Binary) and e.op is BinaryOp.LAND:
            yield from conjuncts((e.lhs, e.rhs))
        else:
            yield e


def uniform_buffers(program: LaneKernel, regions: Iterable[tuple[Leaf, ...]]) -> frozenset[str]:
    """Lane buffers that all lanes set alike, always: they are values of the block."""
    leaves = [x for found in regions for x in found]
    uniform = {b.name for b in program.buffers if isinstance(b.type, Scalar) and b.type != BOOL}
    fixed = block_names(program).names
    while True:
        lost = {
            x.target
            for x in leaves
            if x.target in uniform
            and (x.loops or x.guards or x.atomic or not _agrees(x.value, fixed | uniform))
        }
        if not lost:
            return frozenset(uniform)
        uniform -= lost


def _agrees(e: Expr, names: frozenset[str] | set[str]) -> bool:
    for x in walk_expr(e):
        if isinstance(x, IndexVar) and x.builtin is Builtin.THREAD:
            return False
        if isinstance(x, Read) and not (isinstance(x.place, VarPlace) and x.place.name in names):
            return False
    return True


class Shapes:
    """Raises :class:`NoTiles` where an array or a buffer is no tile."""

    def __init__(
        self, program: LaneKernel, regions: Regions, uniform: frozenset[str], block: Block
    ) -> None:
        self._program = program
        self._block = block
        self._kinds = {b.name: b.type for b in program.buffers if b.name not in uniform}
        self._lengths = {a.name: a.length for a in program.arrays}
        self._elements = {a.name: a.element for a in program.arrays}
        self._leaves = [x for found in regions.values() for x in found if x.target not in uniform]
        self._points: dict[int, Points] = {}
        self._boxes: dict[int, Box] = {}
        self.matrices: dict[str, _Matrix] = {}
        self.product: Placed | None = None
        self.product_leaf: Leaf | None = None
        # Most sizes of block do not fill the arrays, which is soon seen.
        filled = {name: tuple(self._filled(name)) for name in self._lengths}
        self._spreads = self._spread_all(regions)
        for leaf in self._leaves:
            if leaf.target not in self._lengths:
                self._boxes[id(leaf)] = box_of(self.points(leaf), *self._place(leaf))
        for name, found in filled.items():
            self._matrix(name, found)

    # --- what there is

    def is_array(self, name: str) -> bool:
        """Whether it is a shared array."""
        return name in self._lengths

    def is_fragment(self, name: str) -> bool:
        """Whether it is a value of every thread."""
        return name in self._kinds

    def box(self, leaf: Leaf) -> Box:
        """The elements that a store is for."""
        return self._boxes[id(leaf)]

    def tile(self, name: str) -> BlockTile:
        """The tile that a name became."""
        if name in self.matrices:
            m = self.matrices[name]
            return BlockTile(name, self._elements[name], m.rows, m.columns)
        kind = self._kinds[name]
        element = kind.element if isinstance(kind, Array) else kind
        if not isinstance(element, Scalar) or element == BOOL:
            raise NoTiles
        spread = self._spreads[name]
        return BlockTile(name, element, spread.rows, spread.columns, fragment=True)

    def tiles(self) -> tuple[BlockTile, ...]:
        """All tiles: those in shared memory first."""
        return tuple(self.tile(n) for n in (*self._lengths, *self._kinds))

    # --- points

    def points(self, leaf: Leaf) -> Points:
        """The runs of a store that its tests of the thread alone let through."""
        found = self._points.get(id(leaf))
        if found is None:
            found = all_points(self._block, leaf.loops)
            for e in conjuncts(leaf.guards):
                passed = found.number(e)
                if passed is not None:
                    found = found.take(passed != 0)
            if not found.size:
                raise NoTiles
            self._points[id(leaf)] = found
        return found

    def _place(self, leaf: Leaf) -> tuple[Ints, Ints]:
        """Rows and columns of a store that is not to a shared array."""
        points = self.points(leaf)
        if leaf.target != MEMORY:
            return self.spread(leaf.place, points)
        for e in (leaf.value, *leaf.guards, *place_parts(leaf.place)):
            for x in walk_expr(e):
                if isinstance(x, Read) and self._is_spread(x.place):
                    return self.spread(x.place, points)
        return points.y, points.x

    def _is_spread(self, p: Place) -> bool:
        match root(p):
            case VarPlace(name):
                return name in self._spreads
            case _:
                return False

    # --- fragments

    def _spread_all(self, regions: Regions) -> dict[str, _Spread]:
        lane = np.arange(self._block[0] * self._block[1], dtype=np.int64)
        own = (lane // self._block[0], lane % self._block[0])
        spread = _Spread(self._block[1], self._block[0], {0: own})
        arrays = frozenset(self._lengths)
        for s in walk_lanes(self._program.body):
            if isinstance(s, Region) and self.product is None and multiplies(s, arrays):
                try:
                    self.product = placed(self._program, s, self._block)
                except NotFollowed:
                    continue
                found_in = regions[id(s)]
                if self.product is not None and len(found_in) == 1:
                    (self.product_leaf,) = found_in
        found: dict[str, _Spread] = {}
        if self.product is not None:
            p = self.product.product
            of_product = _Spread(p.rows, p.columns, self.product.slots)
            found[p.result] = of_product
            if len(self.product.slots) == 1:
                spread = of_product
        for name, kind in self._kinds.items():
            if isinstance(kind, Scalar):
                found.setdefault(name, spread)
            elif name not in found:
                raise NoTiles
        return found

    def spread(self, p: Place, points: Points) -> tuple[Ints, Ints]:
        """The row and the column of an element of a lane buffer at each point."""
        match p:
            case VarPlace(name) if name in self._spreads:
                slots = np.zeros(points.size, np.int64)
            case ArrElem(VarPlace(name), index) if name in self._spreads:
                found = points.number(index)
                if found is None:
                    raise NoTiles
                slots = found
            case _:
                raise NoTiles
        table = self._spreads[name].slots
        rows, columns = np.empty_like(slots), np.empty_like(slots)
        for slot in np.unique(slots):
            if int(slot) not in table:
                raise NoTiles
            of_lane = table[int(slot)]
            at = slots == slot
            rows[at] = of_lane[0][points.lane[at]]
            columns[at] = of_lane[1][points.lane[at]]
        return rows, columns

    # --- shared arrays

    def _filled(self, name: str) -> Iterator[tuple[_Matrix, dict[int, Box]]]:
        """The matrices that an array can be, by what is stored to it, with the boxes of stores."""
        stores = [x for x in self._leaves if x.target == name]
        indices = [i for x in stores for i in _index(x.place)]
        indices += [e for x in self._leaves for e in _elements_read(x, name)]
        none = True
        for stride in _strides(indices):
            made = self._with_stride(stores, stride)
            if made is not None:
                none = False
                yield made
        if none:
            raise NoTiles

    def _with_stride(
        self, stores: list[Leaf], stride: int
    ) -> tuple[_Matrix, dict[int, Box]] | None:
        boxes: dict[int, Box] = {}
        for leaf in stores:
            (index,) = _index(leaf.place)
            points = self.points(leaf)
            at = points.number(index)
            if at is None or at.min() < 0 or at.max() >= self._lengths[leaf.target]:
                return None
            try:
                boxes[id(leaf)] = box_of(points, at // stride, at % stride)
            except NoTiles:
                return None
        rows, columns = {b.rows for b in boxes.values()}, {b.columns for b in boxes.values()}
        if len(rows) != 1 or len(columns) != 1:
            return None
        return _Matrix(stride, rows.pop(), columns.pop()), boxes

    def _matrix(self, name: str, found: tuple[tuple[_Matrix, dict[int, Box]], ...]) -> None:
        """Of the matrices that an array can be, the first that all reads are affine in."""
        reads = [(x, e) for x in self._leaves for e in _elements_read(x, name)]
        for made, boxes in found:
            known = self._boxes | boxes
            if all(
                id(x) in known and element_at(made, e, known[id(x)]) is not None for x, e in reads
            ):
                self._boxes = known
                self.matrices[name] = made
                return
        raise NoTiles


def element_at(m: _Matrix, index: Expr, box: Box) -> tuple[Expr, Expr] | None:
    """The row and the column of an element of a shared array, for the points of a box."""
    at = box.points.number(index)
    if at is None or at.min() < 0:
        return None
    row, column = at // m.stride, at % m.stride
    if row.max() >= m.rows or column.max() >= m.columns:
        return None
    first, second = box.affine(row, I32), box.affine(column, I32)
    return None if first is None or second is None else (first, second)


def _index(p: Place) -> list[Expr]:
    """The index of an element of a flat array."""
    match p:
        case ArrElem(VarPlace(), index):
            return [index]
        case _:
            raise NoTiles


def _elements_read(leaf: Leaf, name: str) -> Iterator[Expr]:
    """The indices at which a store reads an array."""
    for e in (leaf.value, *leaf.guards, *place_parts(leaf.place)):
        for x in walk_expr(e):
            match x:
                case Read(ArrElem(VarPlace(array), index)) if array == name:
                    yield index
                case Read(VarPlace(array)) if array == name:
                    raise NoTiles
                case _:
                    pass


def place_parts(p: Place) -> tuple[Expr, ...]:
    """What stands in a place that is stored to."""
    match p:
        case ArrElem(_, index):
            return (index,)
        case PtrElem(pointer, index):
            return (pointer, index)
        case _:
            return ()


def _strides(indices: list[Expr]) -> Iterator[int]:
    """Factors of indices, the largest first; then one row alone."""
    found: set[int] = set()
    for e in indices:
        for x in walk_expr(e):
            match x:
                case Binary(BinaryOp.MUL | BinaryOp.DIV | BinaryOp.REM, _, Const(n)):
                    found.add(int(n))
                case Binary(BinaryOp.SHL, _, Const(n)) if 0 < int(n) < 16:
                    found.add(1 << int(n))
                case _:
                    pass
    yield from sorted((n for n in found if n > 1), reverse=True)
    yield 1 << 30
