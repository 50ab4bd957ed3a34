"""Statements of one thread become a tile program, statement by statement.

* A statement whose values are uniform stays a scalar statement.
* A guard that bounds the lane shortens the run (:class:`Clip`), other divergent branches become
  masks: both sides are computed and the result chosen, which is legal when neither side loads,
  stores or faults. A store under a mask writes back what was loaded from the same elements, and
  only when no other thread may store there.
* Loops with uniform control stay loops. ``for (i = lane; i < n; i += stride)`` keeps running while
  its first lane does, over a run that gets shorter.
* Everything else is done for one lane after another (:class:`LaneLoop`); neighbouring such
  statements share a loop. A variable that only they use is local to it.

Order: each thread keeps the order of its own accesses, since statements run one after another and
loads that may follow a store to the same memory wait for it. Across threads CUDA has no order.
"""

from __future__ import annotations

from dataclasses import replace

from typing_extensions import assert_never

from migrate.analysis.lanes import Kind as Dep
from migrate.ir.expr import Expr, PtrElem, Read, VarPlace
from migrate.ir.simt import (
    Asm,
    Assign,
    Atomic,
    Barrier,
    Break,
    CallStmt,
    Collective,
    Continue,
    Declare,
    DoWhile,
    Effect,
    Fence,
    For,
    If,
    Return,
    Stmt,
    Switch,
    While,
)
from migrate.ir.tile import (
    CopyOut,
    LaneAxis,
    TileBreak,
    TileContinue,
    TileRef,
    TileScope,
    TileStmt,
    Uniform,
)
from migrate.ir.types import BOOL, Scalar, Space
from migrate.ir.walk import (
    all_exprs,
    assigned_names,
    declared_name,
    declared_names,
    var_names,
    walk_stmts,
)
from migrate.lifting.tile_buffers import NotVector
from migrate.lifting.tile_control import ControlPlanner
from migrate.lifting.tile_values import State, Values


class Planner(ControlPlanner):
    """Plans one kernel body."""

    def __init__(self, values: Values, body: tuple[Stmt, ...], axis: LaneAxis) -> None:
        super().__init__(values, body, axis)
        self.reasons: list[tuple[Stmt, str]] = []
        self._uses = _count_uses(body)

    # --- statement lists

    def plan(self) -> tuple[TileStmt, ...]:
        """The whole body; one lane loop over everything when nothing smaller is possible."""
        try:
            return self.block(self.body)
        except NotVector as why:
            self.reasons.append((self.body[0], str(why)))
            return self.whole()

    def whole(self) -> tuple[TileStmt, ...]:
        """The body as one lane loop."""
        self.v.buffers.decls.clear()
        self.v.state = State()
        return (self.v.lane_loop(self.v.lane_body(self.body), ()),)

    def block(self, stmts: tuple[Stmt, ...]) -> tuple[TileStmt, ...]:
        """A statement list with its own scope of loads."""
        outer, loads = self.v.out, list(self.v.buffers.loads)
        self.v.out = []
        try:
            pending: list[Stmt] = []
            for s in stmts:
                if pending and self._floats_up(s):
                    self.statement(s)
                elif self._try(s, pending):
                    pending = []
                else:
                    pending.append(s)
            self._flush(pending)
            return tuple(self.v.out)
        finally:
            self.v.out = outer
            self.v.buffers.loads = [x for x in loads if x in self.v.buffers.loads]

    def _floats_up(self, s: Stmt) -> bool:
        """True for a uniform declaration without loads, which may stand before lane loops."""
        if not isinstance(s, Declare) or s.space is not Space.LOCAL or s.name not in self.facts:
            return False
        if s.name in self.v.defs and self.facts[s.name].kind is not Dep.UNIFORM:
            return True
        if self.facts[s.name].kind is Dep.VARYING:
            return False
        return s.init is None or not self.v.memory.has_loads(s.init)

    def _try(self, s: Stmt, pending: list[Stmt]) -> bool:
        """Plans the pending lane loop and then ``s``; false, with no trace, when ``s`` has none."""
        mark, buffers = len(self.v.out), self.v.buffers.snapshot()
        state = State(set(self.v.state.stored), self.v.state.masked)
        reasons = list(self.reasons)
        try:
            self._flush(pending)
            before = len(self.v.out)
            self.statement(s)
        except NotVector as why:
            if self.v.state.masked or self._mask is not None:
                raise
            del self.v.out[mark:]
            self.v.buffers.restore(buffers)
            self.v.state = state
            self.reasons = [*reasons, (s, str(why))]
            return False
        if s.note and len(self.v.out) > before:
            self.v.out[before] = replace(self.v.out[before], note=s.note)
        return True

    def _flush(self, pending: list[Stmt]) -> None:
        """One lane loop for statements that have no vector form."""
        if not pending:
            return
        region = tuple(pending)
        self._check_region(region)
        inside = _count_uses(region)
        body: list[Stmt] = []
        for s in region:
            name = declared_name(s)
            if name is None or self._uses.get(name, 0) == inside.get(name, 0):
                body.append(s)
                continue
            if not isinstance(s, Declare) or not self._in_tile(s.name, s):
                raise NotVector(f"{name} is needed outside of the lane loop")
            if s.init is not None:
                body.append(Assign(VarPlace(s.name, s.type), s.init, span=s.span, note=s.note))
        local = declared_names(tuple(body))
        for name in {n for e in all_exprs(region) for n in var_names(e)} | assigned_names(region):
            found = self.facts.get(name)
            if found is not None and found.kind is Dep.VARYING and name not in local:
                self._tile_of(name)
        loop = self.v.lane_loop(self.v.lane_body(tuple(body)), ())
        self.v.out.append(replace(loop, span=region[0].span))
        self._after_stores(region)

    def _check_region(self, region: tuple[Stmt, ...]) -> None:
        """Scalars that all lanes share may not be assigned once a lane."""
        local = declared_names(region)
        for name in assigned_names(region) - local:
            found = self.facts.get(name)
            if found is None or found.kind is not Dep.VARYING:
                raise NotVector(f"{name} is shared by all lanes and assigned in a lane loop")
        for s in walk_stmts(region):
            if isinstance(s, Barrier | Collective | Asm | Fence):
                raise NotVector("an operation of several threads")

    def _in_tile(self, name: str, s: Declare) -> bool:
        if not isinstance(s.type, Scalar) or s.space is not Space.LOCAL or s.type == BOOL:
            return False
        self.v.buffers.named(name, s.type)
        return True

    def _tile_of(self, name: str) -> TileRef:
        kind = self._types.get(name)
        if not isinstance(kind, Scalar):
            raise NotVector(f"{name} is not a number of its own")
        return self.v.buffers.named(name, kind)

    def _after_stores(self, region: tuple[Stmt, ...]) -> None:
        """Loads at hand that a region's stores may have changed are forgotten."""
        stored = self.v.memory.stores(region)
        self._stored(*stored)
        for name in assigned_names(region):
            self.v.buffers.forget_variable(name)

    # --- single statements

    def statement(self, s: Stmt) -> None:
        """Vector code for one statement, appended; :class:`NotVector` when there is none."""
        match s:
            case Declare():
                self._declare(s)
            case Assign(VarPlace(name), value):
                self._assign(name, value, s)
            case Assign(PtrElem() as place, value):
                self._store(place, value, s)
            case If(cond, then, other):
                self._if(s, cond, then, other)
            case For():
                self._for(s)
            case While(cond, body) | DoWhile(body, cond):
                self._while(cond, body, isinstance(s, DoWhile))
            case Break() | Continue():
                if self._mask is not None:
                    raise NotVector("lanes leave the loop at different times")
                self.v.out.append(TileBreak() if isinstance(s, Break) else TileContinue())
            case Assign() | Switch() | Return() | CallStmt() | Atomic() | Effect() | Asm():
                raise NotVector(f"{type(s).__name__.lower()} has no vector form")
            case Barrier() | Fence() | Collective():
                raise NotVector("an operation of several threads")
            case _:
                assert_never(s)

    def _declare(self, s: Declare) -> None:
        found = self.facts.get(s.name)
        if found is None or s.space is not Space.LOCAL:
            raise NotVector("shared memory")
        if s.name in self.v.defs and found.kind is not Dep.UNIFORM:
            return  # its uses say what it equals
        if found.kind is Dep.VARYING:
            if s.init is None:
                if not isinstance(s.type, Scalar):
                    raise NotVector(f"{s.name} is an array or structure of each thread")
                return
            self._assign(s.name, s.init, s)
            return
        self._uniform(s, s.init)

    def _uniform(self, s: Declare | Assign, value: Expr | None) -> None:
        if value is not None:
            if self._mask is not None and self.v.memory.has_loads(value):
                raise NotVector("a load that only some lanes execute")
            if not self.v.spellings.scalar(value):
                raise NotVector("a function that the scalar unit lacks")
        fresh = value is not None and any(
            self.v.memory.meets(r, self.v.state.stored) for r in self.v.memory.loads(value)
        )
        if isinstance(s, Declare):
            first = None if value is None else self.v.at_first(value)
            self.v.out.append(Uniform(replace(s, init=first), fresh, span=s.span))
            return
        if value is not None:
            self.v.out.append(Uniform(replace(s, value=self.v.at_first(value)), fresh, span=s.span))
        if isinstance(s.place, VarPlace):
            self.v.buffers.forget_variable(s.place.name)

    def _assign(self, name: str, value: Expr, s: Declare | Assign) -> None:
        found = self.facts.get(name)
        if found is None:
            raise NotVector(f"{name} is a parameter or global that is assigned")
        if found.kind is not Dep.VARYING:
            self._uniform(s, value)
            return
        kind = value.type
        if not isinstance(kind, Scalar):
            raise NotVector(f"{name} is not a number of its own")
        if self._mask is not None and isinstance(s, Assign):
            dst = self._tile_of(name)
            made = self.v.value(value)
            self.v.select.choose(self._mask, made, dst, dst)
        else:
            single = isinstance(s, Declare) and name not in self._assigned
            if single and isinstance(value, Read) and isinstance(value.place, PtrElem):
                self._declare_load(name, value.place, kind)
            else:
                self.v.tile(value, self._tile_of(name))
        self.v.buffers.forget_variable(name)

    def _declare_load(self, name: str, place: PtrElem, kind: Scalar) -> None:
        """A constant that is a load takes the loaded tile itself, under its own name."""
        if self.v.buffers.has(name):
            self.v.tile(Read(place), self._tile_of(name))
            return
        self.v.buffers.taken.discard(name)
        try:
            got = self.v.load(place, name)
        except NotVector:
            self.v.buffers.taken.add(name)
            self.v.tile(Read(place), self._tile_of(name))
            return
        self.v.buffers.taken.add(name)
        if got.name != name:
            self.v.select.copy(got, self._tile_of(name))

    def _store(self, place: PtrElem, value: Expr, s: Assign) -> None:
        kind = place.type
        if not isinstance(kind, Scalar) or kind.bits == 64 or kind == BOOL:
            raise NotVector(f"elements of type {kind}")
        where = self.v.address(place)
        if not self.v.is_run(where.index):
            raise NotVector("lanes do not store consecutive elements")
        first = self.v.at_first(where.index)
        root = self.v.memory.root(where.base)
        out = self.v.buffers.tile(f"{root or 'data'}_out", kind, TileScope.OUT)
        if self._mask is None:
            self.v.tile(value, out)
        else:
            old = self.v.buffers.find(where.base, first)
            if old is None or not self._owns(root):
                raise NotVector("a store that only some lanes execute")
            self.v.select.choose(self._mask, self.v.value(value), old, out)
        self.v.out.append(CopyOut(where.base, first, out, span=s.span))
        self._stored(root)

    def _owns(self, store_root: str | None) -> bool:
        """True when no other thread can store to the elements that a lane stores to.

        Lanes run over the whole grid, there is one store root, and all its stores have one index.
        """
        if self.axis is not LaneAxis.GRID or self._rows or store_root is None:
            return False
        stores = self.v.memory.stores(self.body)
        if stores != frozenset({store_root}):
            return False
        places = {
            self.v.address(s.place)
            for s in walk_stmts(self.body)
            if isinstance(s, Assign) and isinstance(s.place, PtrElem)
        }
        return len(places) == 1

    # --- facts about the body

    @property
    def _types(self) -> dict[str, object]:
        return {
            n: s.type for s in walk_stmts(self.body) if isinstance(s, Declare) for n in (s.name,)
        }

    @property
    def _assigned(self) -> frozenset[str]:
        return assigned_names(self.body)

    @property
    def _rows(self) -> bool:
        """True when the kernel looks at thread or block indices other than along ``x``."""
        from migrate.ir.expr import Builtin, IndexVar

        return any(
            isinstance(e, IndexVar)
            and e.axis != "x"
            and e.builtin in (Builtin.THREAD, Builtin.BLOCK)
            for e in all_exprs(self.body)
        )


def _count_uses(stmts: tuple[Stmt, ...]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for e in all_exprs(stmts):
        if isinstance(e, Read):
            for n in var_names(e):
                counts[n] = counts.get(n, 0) + 1
    for s in walk_stmts(stmts):
        for n in assigned_names((s,)):
            counts[n] = counts.get(n, 0) + 1
    return counts
