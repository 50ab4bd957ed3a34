"""Stores of a region as steps of a program of tiles; see :mod:`migrate.lifting.idioms.matrix_tiles`
for why each is legal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from migrate.ir.expr import (
    ArrElem,
    Binary,
    BinaryOp,
    Builtin,
    Cast,
    Const,
    Expr,
    IndexVar,
    Place,
    PtrElem,
    Read,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.simt import Assign, Atomic, AtomicOp, Declare, For, If, Stmt
from migrate.ir.tile_code import BlockTile, EachPoint, Once, Serial, TileStep
from migrate.ir.types import I32, Pointer, Scalar
from migrate.ir.walk import Rewriter, all_exprs, root, walk_expr
from migrate.lifting.fold import fold_expr
from migrate.lifting.idioms.leaves import MEMORY, Leaf, NoTiles, names_read
from migrate.lifting.idioms.multiply import multiplication
from migrate.lifting.idioms.numbers import wrapped
from migrate.lifting.idioms.points import Block, Box, Rewritten, all_points, counter_of
from migrate.lifting.idioms.row_major import columns_stay_inside
from migrate.lifting.idioms.tile_shapes import Shapes, conjuncts, element_at, place_parts

_ROW, _COLUMN = (Cast(IndexVar(Builtin.THREAD, axis), I32) for axis in ("y", "x"))


class LeafSteps:
    """Writes stores as steps. ``known`` are the names that mean the same for all lanes."""

    def __init__(
        self,
        shapes: Shapes,
        uniform: frozenset[str],
        known: frozenset[str],
        block: Block,
    ) -> None:
        self._shapes = shapes
        self._uniform = uniform
        self._known = known
        self._block = block

    def region(self, leaves: tuple[Leaf, ...]) -> Iterator[TileStep]:
        """The steps of one region. Raises :class:`NoTiles`."""
        _independent(leaves, self._shapes)
        for leaf in leaves:
            if leaf.target in self._uniform:
                yield Once((Assign(leaf.place, self.uniform(leaf.value), span=leaf.span),))
            else:
                yield multiplication(leaf, self._shapes) or self._store(leaf)

    def uniform(self, e: Expr) -> Expr:
        """A value of the block for this size of block. Raises :class:`NoTiles`."""
        points = all_points(self._block, ())

        def rule(x: Expr) -> Expr | None:
            match x:
                case IndexVar(Builtin.BLOCK_DIM):
                    number = points.number(x)
                    assert number is not None and isinstance(x.type, Scalar)
                    return Const(int(number[0]), x.type)
                case IndexVar(Builtin.THREAD):
                    raise NoTiles
                case Read(VarPlace(name)) if name not in self._known:
                    raise NoTiles
                case Read(ArrElem() | PtrElem()):
                    raise NoTiles
                case _:
                    return fold_expr(x)

        return Rewriter(expr=rule).expr(e)

    def _store(self, leaf: Leaf) -> TileStep:
        box = self._shapes.box(leaf)
        serial = tuple(s for s in leaf.loops if counter_of(s)[0] not in box.folded)
        counters = frozenset(counter_of(s)[0] for s in serial)
        write = _Element(self._shapes, box, self._known | counters)
        tests = tuple(write.expr(e) for e in conjuncts(leaf.guards) if box.points.number(e) is None)
        stmt = write.store(leaf)
        if leaf.target == MEMORY and box.repeats:
            _apart(stmt, tests, bool(serial), box)
        if tests:
            stmt = If(_all(tests), (stmt,), span=leaf.span)
        step: TileStep = EachPoint(box.rows, box.columns, (stmt,), span=leaf.span)
        for s in reversed(serial):
            step = Serial(self._head(s, counters), (step,), span=s.span)
        return step

    def _head(self, s: For, counters: frozenset[str]) -> For:
        """A loop that all lanes take alike."""
        name, kind, first = counter_of(s)
        inside = LeafSteps(self._shapes, self._uniform, self._known | counters, self._block)
        match s.step:
            case (Assign(place, value) as move,):
                step = replace(move, place=place, value=inside.uniform(value))
            case _:
                raise NoTiles
        start = Declare(name, kind, inside.uniform(first))
        return For((start,), inside.uniform(s.cond), (step,), (), s.unroll, span=s.span)


def _all(tests: tuple[Expr, ...]) -> Expr:
    whole = tests[0]
    for e in tests[1:]:
        whole = Binary(BinaryOp.LAND, whole, e)
    return whole


def _independent(leaves: tuple[Leaf, ...], shapes: Shapes) -> None:
    """Each store can be made for all lanes before the next one. Raises :class:`NoTiles`."""
    arrays = {x.target for x in leaves if shapes.is_array(x.target)}
    for x in leaves:
        if _reads(x) & arrays:
            raise NoTiles
    for at, a in enumerate(leaves):
        for b in leaves[at + 1 :]:
            together = a.loops and b.loops and a.loops[0] is b.loops[0]
            if together and (
                a.target == b.target or a.target in _reads(b) or b.target in _reads(a)
            ):
                raise NoTiles


def _reads(leaf: Leaf) -> frozenset[str]:
    """What a store reads."""
    found: frozenset[str] = frozenset()
    for e in (leaf.value, *leaf.guards, *place_parts(leaf.place)):
        found |= names_read(e)
    for s in leaf.loops:
        for e in (*all_exprs((*s.init, *s.step)), s.cond):
            found |= names_read(e)
    return found


def _apart(stmt: Stmt, tests: tuple[Expr, ...], serial: bool, box: Box) -> None:
    """A thread that stores to memory in several rounds may do so in any order, before or after
    other threads. Raises :class:`NoTiles`."""
    match stmt:
        case Assign(PtrElem(Read(VarPlace(_, Pointer() as kind)), index) as place):
            pass
        case Atomic(AtomicOp.ADD, PtrElem(), (value,)) if isinstance(value.type, Scalar):
            if value.type.is_integer:
                return
            raise NoTiles
        case _:
            raise NoTiles
    if serial or not columns_stay_inside(index, tests, box.columns):
        raise NoTiles
    for e in (stmt.value, *tests, index):
        for x in walk_expr(e):
            match x:
                case Read(PtrElem(Read(VarPlace(name, Pointer() as other))) as read):
                    same = read == place
                    if not same and (
                        name == _pointer(place) or not (kind.restrict or other.restrict)
                    ):
                        raise NoTiles
                case Read(PtrElem()):
                    raise NoTiles
                case _:
                    pass


def _pointer(p: PtrElem) -> str:
    match p.pointer:
        case Read(VarPlace(name)):
            return name
        case _:
            raise NoTiles


class _Element(Rewriter):
    """Expressions of a thread as expressions of the element of a box."""

    def __init__(self, shapes: Shapes, box: Box, known: frozenset[str]) -> None:
        super().__init__()
        self._shapes = shapes
        self._box = box
        self._known = known
        self._of_element = Rewritten(box)

    def store(self, leaf: Leaf) -> Stmt:
        """The store for one element."""
        place, value = self._target(leaf), self.expr(leaf.value)
        if leaf.atomic is None:
            return Assign(place, value, span=leaf.span)
        if leaf.target != MEMORY:
            raise NoTiles
        return replace(leaf.atomic, place=place, operands=(value,))

    def _target(self, leaf: Leaf) -> Place:
        if leaf.target == MEMORY:
            return self.place(leaf.place)
        if self._shapes.is_array(leaf.target) or self._shapes.is_fragment(leaf.target):
            return self._own(self._shapes.tile(leaf.target))
        raise NoTiles

    def _own(self, tile: BlockTile) -> Place:
        """The element of a tile that the box's element is."""
        if tile.fragment and (tile.rows, tile.columns) != (self._box.rows, self._box.columns):
            raise NoTiles
        return _element(tile, _ROW, _COLUMN)

    def expr(self, e: Expr) -> Expr:
        """Rewrite one expression. Raises :class:`NoTiles`."""
        number = self._of_element.number(e)
        if number is not None:
            return number
        match e:
            case IndexVar(Builtin.THREAD | Builtin.BLOCK_DIM):
                raise NoTiles
            case Read(place):
                return replace(e, place=self._read(place))
            case Binary(BinaryOp.ADD | BinaryOp.SUB, lhs) if isinstance(lhs.type, Scalar):
                return self._expr_children(e) if lhs.type.is_float else self._sum(e, lhs.type)
            case _:
                return self._expr_children(e)

    def _sum(self, e: Binary, kind: Scalar) -> Expr:
        """A sum of whole numbers, of which those of the thread are taken together: they wrap, so
        that their order does not matter."""
        numbers = np.zeros(self._box.points.size, np.int64)
        rest: Expr | None = None
        thread = False
        for term, sign in _terms(e, kind, 1):
            found = self._box.points.number(term)
            if found is not None:
                numbers = wrapped(numbers + sign * found, kind)
                thread = True
                continue
            made = self.expr(term)
            if rest is None:
                rest = made if sign > 0 else Unary(UnaryOp.NEG, made)
            else:
                rest = Binary(BinaryOp.ADD if sign > 0 else BinaryOp.SUB, rest, made)
        if rest is None or not thread:
            return self._expr_children(e)
        own = self._box.affine(numbers, kind)
        return self._expr_children(e) if own is None else _plus(rest, own)

    def _read(self, p: Place) -> Place:
        match root(p):
            case VarPlace(name) if self._shapes.is_fragment(name):
                row, column = self._shapes.spread(p, self._box.points)
                if not (
                    np.array_equal(row, self._box.row) and np.array_equal(column, self._box.column)
                ):
                    raise NoTiles
                return self._own(self._shapes.tile(name))
            case VarPlace(name) if self._shapes.is_array(name):
                return self._of_array(name, p)
            case VarPlace(name) if name in self._known and p == root(p):
                return p
            case PtrElem() as memory if p == memory:
                return self.place(p)
            case _:
                raise NoTiles

    def _of_array(self, name: str, p: Place) -> Place:
        match p:
            case ArrElem(VarPlace(), index):
                found = element_at(self._shapes.matrices[name], index, self._box)
            case _:
                found = None
        if found is None:
            raise NoTiles
        return _element(self._shapes.tile(name), *found)


def _terms(e: Expr, kind: Scalar, sign: int) -> Iterator[tuple[Expr, int]]:
    """The terms of a sum in one type, with their signs."""
    match e:
        case Binary(BinaryOp.ADD | BinaryOp.SUB as op, lhs, rhs) if e.type == kind:
            yield from _terms(lhs, kind, sign)
            yield from _terms(rhs, kind, sign if op is BinaryOp.ADD else -sign)
        case _:
            yield e, sign


def _plus(rest: Expr, own: Expr) -> Expr:
    if isinstance(own, Const) and not own.value:
        return rest
    return Binary(BinaryOp.ADD, rest, own)


def _element(tile: BlockTile, row: Expr, column: Expr) -> ArrElem:
    return ArrElem(ArrElem(VarPlace(tile.name, tile.type), row), column)
