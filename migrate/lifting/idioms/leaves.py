"""A region as its stores: each with what is around it and what it stores, locals written out.

    var row = (by * 16) + threadIdx.y       a.[...] = ((by * 16) + threadIdx.y < m ? p[...] : 0)
    var v = 0
    if (row < m) { v = p[...] }             the store to a, behind no loop and no test
    a.[...] = v

Legal because a local that is set once in a straight line is what it was set to, and one that a
branch sets is a choice of both, as long as nothing that it was made of is stored to in between:
then the region has no such form. So do locals that a loop carries along.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from migrate.analysis.constants import const
from migrate.core.span import Span
from migrate.ir.expr import (
    ArrElem,
    Binary,
    BinaryOp,
    Const,
    Expr,
    Place,
    PtrElem,
    Read,
    Select,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.simt import Assign, Atomic, AtomicOp, Declare, For, If, Stmt
from migrate.ir.types import Scalar
from migrate.ir.walk import (
    Rewriter,
    all_exprs,
    assigned_names,
    declared_names,
    root,
    stmt_places,
    walk_expr,
    walk_stmts,
)
from migrate.lifting.fold import fold_expr

MEMORY = "*"
"""Stands for all of device memory among the names of what is stored to."""
_MOST_NODES = 4000


class NoTiles(Exception):
    """The program has no form in tiles that this can prove."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """``for loops: if all guards: place = value`` (``atomic``: ``place += value`` at once)."""

    loops: tuple[For, ...]
    guards: tuple[Expr, ...]
    place: Place
    value: Expr
    span: Span
    atomic: Atomic | None = None

    @property
    def target(self) -> str:
        """What is stored to: the name of an array or a buffer, or :data:`MEMORY`."""
        return stored_to(self.place)


def leaves_of(body: tuple[Stmt, ...]) -> tuple[Leaf, ...]:
    """The stores of a region in order. Raises :class:`NoTiles`."""
    reader = _Reader()
    reader.body(body, {}, (), ())
    return tuple(_rolled(reader.leaves))


def _rolled(leaves: list[Leaf]) -> Iterator[Leaf]:
    """Stores of one value to all slots of a lane's array, one after the other, as a loop."""
    at = 0
    while at < len(leaves):
        run = 1
        while at + run < len(leaves) and _follows(leaves[at + run - 1], leaves[at + run]):
            run += 1
        yield leaves[at] if run == 1 else _loop_of(leaves[at], run)
        at += run


def _follows(a: Leaf, b: Leaf) -> bool:
    match a.place, b.place:
        case ArrElem(VarPlace(one), Const(m)), ArrElem(VarPlace(other), Const(n)) if one == other:
            alike = a.value == b.value and a.atomic is None and b.atomic is None
            return alike and not (a.loops or b.loops or a.guards or b.guards) and n == m + 1
        case _:
            return False


def _loop_of(first: Leaf, rounds: int) -> Leaf:
    place = first.place
    assert isinstance(place, ArrElem) and isinstance(place.index, Const)
    start, kind = place.index, place.index.type
    counter = VarPlace(f"{first.target} slot", kind)
    index = Read(counter)
    stop = const(int(start.value) + rounds, kind)
    loop = For(
        (Declare(counter.name, kind, start),),
        Binary(BinaryOp.LT, index, stop),
        (Assign(counter, Binary(BinaryOp.ADD, index, const(1, kind))),),
        (),
    )
    return replace(first, loops=(loop,), place=replace(place, index=index))


def stored_to(place: Place) -> str:
    """The name of an array or a buffer that a place is part of, or :data:`MEMORY`."""
    match root(place):
        case VarPlace(name):
            return name
        case _:
            return MEMORY


def names_read(e: Expr) -> frozenset[str]:
    """What an expression reads: variables, arrays and :data:`MEMORY`."""
    return frozenset(stored_to(x.place) for x in walk_expr(e) if isinstance(x, Read))


_Values = dict[str, Expr]


class _Reader:
    def __init__(self) -> None:
        self.leaves: list[Leaf] = []
        self._locals: set[str] = set()

    def body(
        self,
        stmts: tuple[Stmt, ...],
        values: _Values,
        loops: tuple[For, ...],
        guards: tuple[Expr, ...],
    ) -> None:
        """Read a list; ``values`` are those of locals, and are changed."""
        for s in stmts:
            self._stmt(s, values, loops, guards)

    def _stmt(
        self, s: Stmt, values: _Values, loops: tuple[For, ...], guards: tuple[Expr, ...]
    ) -> None:
        match s:
            case Declare(name, Scalar(), init):
                self._locals.add(name)
                values.pop(name, None)
                if init is not None:
                    values[name] = _written(init, values)
            case Assign(VarPlace(name), value) if name in values:
                values[name] = _written(value, values)
            case Assign(place, value):
                self._leaf(
                    Leaf(loops, guards, _place(place, values), _written(value, values), s.span)
                )
                _forget(values, stored_to(place))
            case Atomic(AtomicOp.ADD, place, (value,), None):
                leaf = Leaf(
                    loops, guards, _place(place, values), _written(value, values), s.span, s
                )
                self._leaf(leaf)
                _forget(values, stored_to(place))
            case If():
                self._if(s, values, loops, guards)
            case For():
                self._for(s, values, loops, guards)
            case _:
                raise NoTiles

    def _leaf(self, leaf: Leaf) -> None:
        if isinstance(leaf.place, VarPlace) and leaf.target in _declared(leaf):
            raise NoTiles
        self.leaves.append(leaf)

    def _if(self, s: If, values: _Values, loops: tuple[For, ...], guards: tuple[Expr, ...]) -> None:
        cond = _written(s.cond, values)
        inverse = Unary(UnaryOp.NOT, cond)
        before = len(self.leaves)
        then, other = dict(values), dict(values)
        self.body(s.then, then, loops, (*guards, cond))
        middle = len(self.leaves)
        self.body(s.other, other, loops, (*guards, inverse))
        self._join(cond, before, middle, guards)
        written = {leaf.target for leaf in self.leaves[before:]}
        if len(self.leaves) > before + 1 and written & names_read(cond):
            raise NoTiles  # The test would be made again behind a store.
        for name in tuple(values):
            a, b = then.get(name), other.get(name)
            values.pop(name)
            if a is not None and a is b:
                values[name] = a
            elif a is not None and b is not None and not written:
                values[name] = Select(cond, a, b)
        for target in written:
            _forget(values, target)

    def _join(self, cond: Expr, before: int, middle: int, guards: tuple[Expr, ...]) -> None:
        """Two sides that store one value each to the same place store a choice."""
        if (middle - before, len(self.leaves) - middle) != (1, 1):
            return
        a, b = self.leaves[before:]
        if a.place == b.place and a.loops == b.loops and a.atomic is None and b.atomic is None:
            if len(a.guards) == len(b.guards) == len(guards) + 1:
                self.leaves[before:] = [
                    replace(a, guards=guards, value=Select(cond, a.value, b.value))
                ]

    def _for(
        self, s: For, values: _Values, loops: tuple[For, ...], guards: tuple[Expr, ...]
    ) -> None:
        if guards or len(s.init) != 1 or len(s.step) != 1:
            raise NoTiles
        start = self._start(s.init[0])
        written = {stored_to(p) for x in walk_stmts(s.body) for p in stmt_places(x)}
        carried = assigned_names((*s.body, *s.step)) - declared_names(s.body)
        for name in carried | written:
            _forget(values, name)
            values.pop(name, None)
        init = _written(start.init, values) if start.init is not None else None
        inside = dict(values)
        inside.pop(start.name, None)
        loop = replace(s, init=(replace(start, init=init),), cond=_written(s.cond, inside))
        loop = replace(loop, step=tuple(_step(x, start.name, inside) for x in s.step), body=())
        self.body(s.body, inside, (*loops, loop), guards)

    def _start(self, s: Stmt) -> Declare:
        """Where the counter of a loop begins; a local that was declared before is the loop's own,
        since it has no value behind it."""
        match s:
            case Declare(_, Scalar()):
                return s
            case Assign(VarPlace(name, kind), value) if name in self._locals:
                return Declare(name, kind, value, span=s.span)
            case _:
                raise NoTiles


def _declared(leaf: Leaf) -> frozenset[str]:
    return frozenset(x.name for s in leaf.loops for x in s.init if isinstance(x, Declare))


def _step(s: Stmt, name: str, values: _Values) -> Stmt:
    match s:
        case Assign(VarPlace(again), value) if again == name:
            return replace(s, value=_written(value, values))
        case _:
            raise NoTiles


def _written(e: Expr, values: _Values) -> Expr:
    """An expression with locals replaced by what they hold, and folded."""

    def rule(x: Expr) -> Expr | None:
        match x:
            case Read(VarPlace(name)) if name in values:
                return values[name]
            case _:
                return fold_expr(x)

    made = Rewriter(expr=rule).expr(e)
    if sum(1 for _ in walk_expr(made)) > _MOST_NODES:
        raise NoTiles
    return made


def _place(p: Place, values: _Values) -> Place:
    match p:
        case VarPlace():
            return p
        case ArrElem(base, index):
            return replace(p, base=_place(base, values), index=_written(index, values))
        case PtrElem(pointer, index):
            return replace(p, pointer=_written(pointer, values), index=_written(index, values))
        case _:
            raise NoTiles


def _forget(values: _Values, target: str) -> None:
    """Locals that were made of what is stored to have no value any more."""
    for name in [n for n, e in values.items() if target in names_read(e)]:
        del values[name]


def undeclared(leaf: Leaf, known: frozenset[str]) -> Iterator[str]:
    """Names that a leaf reads and that mean nothing outside of its region."""
    mine = known | _declared(leaf)
    parts = [*leaf.guards, leaf.value, Read(leaf.place)]
    for s in leaf.loops:
        parts += all_exprs((*s.init, *s.step))
        parts.append(s.cond)
    for e in parts:
        for x in walk_expr(e):
            if isinstance(x, Read):
                match root(x.place):
                    case VarPlace(name) if name not in mine:
                        yield name
                    case _:
                        pass
