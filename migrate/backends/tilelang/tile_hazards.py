"""Where a program of tiles needs a barrier for device memory.

In CUDA a thread that reads an element of memory and stores to it later needs no barrier. Here the
two steps can give the element to different threads. TileLang sets a barrier before a step that
reads a tile which an earlier step filled; where none is sure to stand between a step that reads
memory and a later one that may store there, one is asked for.
"""

from __future__ import annotations

from migrate.backends.tilelang.body import written_buffers
from migrate.ir.expr import Binary, BinaryOp, Const, PtrElem, Read, VarPlace
from migrate.ir.kernel import Param
from migrate.ir.simt import Declare, For, Stmt
from migrate.ir.tile_code import EachPoint, Multiply, TileCode, TileStep, walk_tile_steps
from migrate.ir.types import Pointer, Space
from migrate.ir.walk import all_exprs, assigned_names, root


class MemoryHazards:
    """Follows the steps of a program in the order in which they are written."""

    def __init__(self, code: TileCode) -> None:
        points = [s for s in walk_tile_steps(code.body) if isinstance(s, EachPoint)]
        written = frozenset(n for s in points for n in written_buffers(s.body))
        self._clashing = _clashing(code.params, written)
        self._shared = frozenset(t.name for t in code.tiles if not t.fragment)
        self._filled: frozenset[str] = frozenset()
        self._was_read = False

    def before(self, s: EachPoint | Multiply) -> bool:
        """Whether a step needs a barrier before it."""
        tiles = _tiles_read(s) & self._shared
        if tiles & self._filled:
            self._synchronised()
        needed = isinstance(s, EachPoint) and bool(written_buffers(s.body)) and self._was_read
        if needed:
            self._synchronised()
        if isinstance(s, EachPoint):
            self._was_read |= bool(_pointers_read(s.body) & self._clashing)
            self._filled |= assigned_names(s.body) & self._shared
        return needed

    def enter_loop(self, body: tuple[TileStep, ...]) -> bool:
        """Before a loop. Where a round stores, the round before may have read. The answer is for
        :meth:`leave_loop`."""
        before = self._was_read
        points = [s for s in walk_tile_steps(body) if isinstance(s, EachPoint)]
        if any(written_buffers(s.body) for s in points):
            self._was_read |= any(_pointers_read(s.body) & self._clashing for s in points)
        return before

    def leave_loop(self, before: bool, loop: For | None) -> None:
        """Behind a loop, which may have had no round unless its bounds are numbers."""
        if loop is None or not _has_a_round(loop):
            self._was_read |= before
        self._filled = frozenset()

    def branches(self) -> None:
        """A branch may have been passed by: no tile is sure to have been filled, or read."""
        self._filled = frozenset()

    def _synchronised(self) -> None:
        self._was_read, self._filled = False, frozenset()


def _has_a_round(loop: For) -> bool:
    match loop.init, loop.cond:
        case (Declare(_, _, Const(first)),), Binary(BinaryOp.LT, _, Const(stop)):
            return first < stop
        case _:
            return False


def _clashing(params: tuple[Param, ...], written: frozenset[str]) -> frozenset[str]:
    """Pointers through which a store of the program can be seen."""
    kinds = {p.name: p.type for p in params if isinstance(p.type, Pointer)}
    loose = any(not kinds[n].restrict for n in written if n in kinds)
    found = set(written)
    for name, kind in kinds.items():
        if loose and not kind.restrict and kind.space is not Space.CONSTANT:
            found.add(name)
    return frozenset(found)


def _pointers_read(body: tuple[Stmt, ...]) -> frozenset[str]:
    found: set[str] = set()
    for e in all_exprs(body):
        match e:
            case Read(PtrElem(Read(VarPlace(name)))):
                found.add(name)
            case _:
                pass
    return frozenset(found)


def _tiles_read(s: EachPoint | Multiply) -> frozenset[str]:
    if isinstance(s, Multiply):
        return frozenset({s.left, s.right})
    found: set[str] = set()
    for e in all_exprs(s.body):
        if isinstance(e, Read):
            match root(e.place):
                case VarPlace(name):
                    found.add(name)
                case _:
                    pass
    return frozenset(found)
