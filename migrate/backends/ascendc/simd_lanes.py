"""Prepares scalar code of tile programs for the C printer.

The lane's number becomes an ``int`` expression, tiles become ``GetValue``/``SetValue``, elements of
global memory are stored past the data cache.
"""

from __future__ import annotations

from collections.abc import Callable

from migrate.backends.ascendc.simd_dialect import LOAD, STORE, TILE_GET, TILE_SET
from migrate.ir.expr import (
    AddressOf,
    ArrElem,
    Binary,
    BinaryOp,
    Call,
    Cast,
    Const,
    Expr,
    FieldPlace,
    Place,
    PtrElem,
    Read,
    VarPlace,
)
from migrate.ir.kernel import Module
from migrate.ir.simt import Assign, Declare, Effect, Stmt
from migrate.ir.tile import FIRST, LANE, LaneLoop
from migrate.ir.types import I32, U32, Array, Pointer, Scalar, Space
from migrate.ir.walk import Rewriter, all_exprs, rename, root, stmt_places, walk_stmts


class LaneCode:
    """Rewrites expressions and statements of one kernel."""

    def __init__(self, module: Module, tiles: frozenset[str], lane: str) -> None:
        self._globals = {g.name: g.space for g in module.globals}
        self._variables = {g.name: g.type for g in module.globals}
        self._tiles = tiles
        self.first = FIRST
        self._lane = lane
        self._fresh = False

    def expr(self, e: Expr, *, fresh: bool = False) -> Expr:
        """A uniform expression."""
        self._fresh = fresh
        return Rewriter(expr=self._expr).expr(e)

    def stmts(self, body: tuple[Stmt, ...], *, fresh: bool = False) -> tuple[Stmt, ...]:
        """Statements of a lane loop, or uniform ones."""
        self._fresh = fresh
        return Rewriter(expr=self._expr, stmt=self._stmt).body(body)

    def lane_loop(self, s: LaneLoop, name: Callable[[str], str]) -> tuple[Stmt, ...]:
        """The body of a lane loop. A tile that it uses often is held in a local meanwhile."""
        uses = _tile_uses(s.body, self._tiles)
        head: list[Stmt] = []
        tail: list[Stmt] = []
        names: dict[str, str] = {}
        for tile in sorted(uses):
            if uses[tile][0] < 2:
                continue
            kind = uses[tile][1]
            local = names[tile] = name(f"{tile}_{self._lane}")
            init = Call(TILE_GET + tile, (), kind) if tile in s.reads else None
            head.append(Declare(local, kind, init))
            if tile in s.writes:
                tail.append(Effect(TILE_SET + tile, (Read(VarPlace(local, kind)),)))
        body = self.stmts(rename(s.body, names), fresh=s.fresh)
        return (*head, *body, *tail)

    def _number(self, name: str) -> Expr | None:
        """Lane numbers are below 2**31, so ``int`` holds them."""
        first = Read(VarPlace(self.first, I32))
        if name == FIRST:
            return first
        if name == LANE:
            return Binary(BinaryOp.ADD, first, Read(VarPlace(self._lane, I32)))
        return None

    def _expr(self, e: Expr) -> Expr | None:
        match e:
            case Read(VarPlace(name, Scalar() as kind)) if name in (FIRST, LANE) and kind == U32:
                number = self._number(name)
                return None if number is None else Cast(number, U32)
            case Cast(Cast(inner, Scalar() as middle), Scalar() as to) if (
                middle == U32 and inner.type == I32 and self._is_number(inner)
            ):
                return inner if to == I32 else Cast(inner, to)
            case Binary(BinaryOp.SUB, Cast(a, ka), Cast(b, kb)) if (
                ka == kb == U32 and self._is_number(a) and self._is_number(b)
            ):
                gap = Read(VarPlace(self._lane, I32))
                return Cast(gap, U32) if a != b else None
            case Read(VarPlace(name, Scalar() as kind)) if name in self._tiles:
                return Call(TILE_GET + name, (), kind, span=e.span)
            case Read(VarPlace(name, Pointer() as kind)) if self._is_address(name, kind):
                return self._address(name, kind)
            case Read(place) if self._fresh and self._memory(place):
                space = Pointer(place.type, Space.GLOBAL)
                return Call(LOAD, (AddressOf(place, space),), place.type, span=e.span)
            case _:
                return None

    def _is_address(self, name: str, kind: Pointer) -> bool:
        """True where a device variable stands for its address, as lifting writes it."""
        return name in self._variables and self._variables[name] != kind

    def _address(self, name: str, kind: Pointer) -> Expr | None:
        """The address of a device variable's first element."""
        place: Place = VarPlace(name, self._variables[name])
        if isinstance(place.type, Array) and place.type.element == kind.pointee:
            return None  # an array's name is its address
        while isinstance(place.type, Array) and place.type != kind.pointee:
            place = ArrElem(place, Const(0, I32))
        return AddressOf(place, kind)

    def _is_number(self, e: Expr) -> bool:
        match e:
            case Read(VarPlace(name)):
                return name in (self.first, self._lane)
            case Binary(BinaryOp.ADD, a, b):
                return self._is_number(a) and self._is_number(b)
            case _:
                return False

    def _memory(self, place: Place) -> bool:
        base = root(place)
        match base:
            case PtrElem(pointer):
                kind = pointer.type
                return not isinstance(kind, Pointer) or kind.space is not Space.LOCAL
            case VarPlace(name):
                return self._globals.get(name) is Space.GLOBAL
            case ArrElem() | FieldPlace():
                return False

    def _stmt(self, s: Stmt) -> tuple[Stmt, ...] | None:
        match s:
            case Assign(VarPlace(name), value) if name in self._tiles:
                return (Effect(TILE_SET + name, (value,), span=s.span, note=s.note),)
            case Assign(place, value) if self._memory(place):
                kind = Pointer(place.type, Space.GLOBAL)
                address = AddressOf(place, kind)
                return (Effect(STORE, (address, value), span=s.span, note=s.note),)
            case _:
                return None


def _tile_uses(body: tuple[Stmt, ...], tiles: frozenset[str]) -> dict[str, tuple[int, Scalar]]:
    """How often each tile is read or written, and as what."""
    found: dict[str, tuple[int, Scalar]] = {}
    places = [p for s in walk_stmts(body) for p in stmt_places(s)]
    places += [e.place for e in all_exprs(body) if isinstance(e, Read)]
    for p in places:
        match p:
            case VarPlace(name, Scalar() as kind) if name in tiles:
                found[name] = (found.get(name, (0, kind))[0] + 1, kind)
            case _:
                pass
    return found
