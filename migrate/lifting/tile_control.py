"""Branches and loops of one thread as tile statements.

A guard that bounds the lane shortens the run, other divergent branches become masks, and loops with
uniform control stay loops; :mod:`migrate.lifting.tile_plan` says when each is legal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

from migrate.analysis.lanes import Kind as Dep
from migrate.analysis.lanes import is_uniform, leaves_early
from migrate.ir.expr import Binary, BinaryOp, Cast, Expr, Read, VarPlace
from migrate.ir.simt import (
    Assign,
    Break,
    Continue,
    Declare,
    DoWhile,
    For,
    If,
    Stmt,
    Switch,
    While,
)
from migrate.ir.tile import (
    Clip,
    LaneAxis,
    TileFor,
    TileIf,
    TileRef,
    TileScope,
    TileStmt,
    TileWhile,
    Uniform,
)
from migrate.ir.types import BOOL, Scalar
from migrate.ir.walk import (
    all_exprs,
    assigned_names,
    declared_names,
    var_names,
    walk_stmts,
)
from migrate.lifting.tile_buffers import NotVector
from migrate.lifting.tile_guards import Bound, analyse, is_launch_sum, negate, terms
from migrate.lifting.tile_values import Values


class ControlPlanner(ABC):
    """Plans statements that hold other statements; a subclass plans lists and single ones."""

    def __init__(self, values: Values, body: tuple[Stmt, ...], axis: LaneAxis) -> None:
        self.v = values
        self.body = body
        self.axis = axis
        self.facts = values.facts
        self._mask: TileRef | None = None

    @abstractmethod
    def block(self, stmts: tuple[Stmt, ...]) -> tuple[TileStmt, ...]:
        """A statement list with its own scope of loads."""

    @abstractmethod
    def statement(self, s: Stmt) -> None:
        """Vector code for one statement, appended; :class:`NotVector` when there is none."""

    def _stored(self, *roots: str | None) -> None:
        self.v.state.stored |= set(roots)
        keep = [x for x in self.v.buffers.loads if not self.v.memory.meets(x.root, roots)]
        self.v.buffers.loads = keep

    # --- branches

    def _if(self, s: If, cond: Expr, then: tuple[Stmt, ...], other: tuple[Stmt, ...]) -> None:
        if is_uniform(cond, self.facts):
            if self._mask is not None and self.v.memory.has_loads(cond):
                raise NotVector("a load that only some lanes execute")
            if not self.v.spellings.scalar(cond):
                raise NotVector("a function that the scalar unit lacks")
            if any(self.v.memory.meets(r, self.v.state.stored) for r in self.v.memory.loads(cond)):
                raise NotVector("a uniform load after a store that may change it")
            self.v.out.append(TileIf(cond, *self._branches(then, other), span=s.span))
            return
        if self._mask is None:
            guard = analyse(cond, self.v.view)
            if not other and guard.uniform:
                tail = terms(cond)[len(guard.uniform) :]
                inner = replace(s, cond=_all(tail))
                self.statement(If(_all(guard.uniform), (inner,), span=s.span))
                return
            if not other and guard.bounds:
                body = (replace(s, cond=_all(guard.rest), note=""),) if guard.rest else then
                self.v.out.append(self._clip(guard.bounds, body, s))
                return
            if not guard.rest and not guard.uniform and len(guard.bounds) == 1:
                rest = analyse(negate(cond), self.v.view)
                if len(rest.bounds) == 1 and not rest.rest and not rest.uniform:
                    self.v.out.append(self._clip(guard.bounds, then, s))
                    self.v.out.append(self._clip(rest.bounds, other, s))
                    return
        self._masked(cond, then, other)

    def _branches(
        self, then: tuple[Stmt, ...], other: tuple[Stmt, ...]
    ) -> tuple[tuple[TileStmt, ...], tuple[TileStmt, ...]]:
        stored = set(self.v.state.stored)
        loads = list(self.v.buffers.loads)
        a = self.block(then)
        after, left = self.v.state.stored, self.v.buffers.loads
        self.v.state.stored, self.v.buffers.loads = stored, loads
        b = self.block(other)
        self.v.state.stored |= after
        self.v.buffers.loads = [x for x in self.v.buffers.loads if x in left]
        return a, b

    def _clip(self, bounds: tuple[Bound, ...], body: tuple[Stmt, ...], s: Stmt) -> Clip:
        skips = [b.skip for b in bounds if b.skip is not None]
        keeps = [b.keep for b in bounds if b.keep is not None]
        if len(skips) > 1:
            raise NotVector("several lower bounds on the lane")
        if not skips:
            return self._nested_clip(keeps, self.block(body), s)
        local = declared_names(body)
        outside = {n for e in all_exprs(body) for n in var_names(e)} | assigned_names(body)
        for name in outside - local - set(self.v.defs):
            found = self.facts.get(name)
            if found is not None and found.kind is not Dep.UNIFORM:
                raise NotVector("a value from before a lower bound on the lane")
        self.v.buffers.loads = []
        self.v.buffers.drain()
        inner = self.block(body)
        self.v.buffers.drain()
        self.v.buffers.loads = []
        return Clip(skips[0], keeps[0] if keeps else None, inner, span=s.span)

    def _nested_clip(self, keeps: list[Expr], inner: tuple[TileStmt, ...], s: Stmt) -> Clip:
        made = Clip(None, keeps[-1], inner, span=s.span)
        for keep in reversed(keeps[:-1]):
            made = Clip(None, keep, (made,), span=s.span)
        return made

    def _masked(self, cond: Expr, then: tuple[Stmt, ...], other: tuple[Stmt, ...]) -> None:
        for s in walk_stmts((*then, *other)):
            if isinstance(s, For | While | DoWhile | Switch | Break | Continue):
                raise NotVector("a loop that only some lanes execute")
        mask = self.v.tile(cond)
        outer, was = self._mask, self.v.state.masked
        own = self.v.buffers.tile("active", BOOL, TileScope.MASK)
        if outer is None:
            self.v.select.copy(mask, own)
        else:
            self.v.select.binary(BinaryOp.AND, mask, outer, own)
        try:
            self.v.state.masked = True
            self._mask = own
            for s in then:
                self.statement(s)
            if other:
                rest = self.v.buffers.tile("inactive", BOOL, TileScope.MASK)
                self.v.select.invert(own, rest)
                if outer is not None:
                    self.v.select.binary(BinaryOp.AND, rest, outer, rest)
                self._mask = rest
                for s in other:
                    self.statement(s)
        finally:
            self._mask, self.v.state.masked = outer, was

    # --- loops

    def _for(self, s: For) -> None:
        if self._mask is not None:
            raise NotVector("a loop that only some lanes execute")
        if leaves_early(s.body, self.facts):
            raise NotVector("lanes leave the loop at different times")
        self._before_loop((*s.body, *s.step))
        if is_uniform(s.cond, self.facts):
            init = self._only_uniform(s.init)
            body, step = self.block(s.body), self._only_uniform(s.step)
            self._loop_condition(s.cond)
            self.v.out.append(TileFor(init, s.cond, step, body, span=s.span))
            return
        guard = analyse(s.cond, self.v.view)
        if guard.rest or len(guard.bounds) != 1 or guard.bounds[0].keep is None:
            raise NotVector("lanes leave the loop at different times")
        self._check_shrinking(s)
        init = self._only_uniform(s.init)
        body = (self._clip(guard.bounds, s.body, s),)
        step = self._only_uniform(s.step)
        cond = self.v.at_first(s.cond)
        self.v.out.append(TileFor(init, cond, step, body, span=s.span))

    def _loop_condition(self, cond: Expr) -> None:
        if not self.v.spellings.scalar(cond):
            raise NotVector("a function that the scalar unit lacks")
        if any(self.v.memory.meets(r, self.v.state.stored) for r in self.v.memory.loads(cond)):
            raise NotVector("a loop condition that a store may change")

    def _check_shrinking(self, s: For) -> None:
        """A lane that has left the loop must not come back: the counter only grows."""
        counter = next((d.name for d in s.init if isinstance(d, Declare)), None)
        if counter is None or len(s.init) != 1 or len(s.step) != 1:
            raise NotVector("a loop with several counters")
        step = s.step[0]
        sum_ = _bare(step.value) if isinstance(step, Assign) else None
        if not isinstance(sum_, Binary) or sum_.op is not BinaryOp.ADD:
            raise NotVector("a counter that does not grow")
        own = [x for x in (sum_.lhs, sum_.rhs) if _is_read(_bare(x), counter)]
        amounts = [x for x in (sum_.lhs, sum_.rhs) if not _is_read(_bare(x), counter)]
        if not isinstance(step, Assign) or not _is_place(step, counter) or len(own) != 1:
            raise NotVector("a counter that does not grow")
        names = assigned_names(s.body) | {counter}
        if len(amounts) != 1 or not is_launch_sum(self.v.view.expand(amounts[0])):
            raise NotVector("a counter that does not grow by a positive launch dimension")
        free = [n for n in var_names(s.cond) if n in names and n != counter]
        if free or counter in assigned_names(s.body) or self.v.memory.has_loads(s.cond):
            raise NotVector("a loop bound that changes")

    def _only_uniform(self, stmts: tuple[Stmt, ...]) -> tuple[TileStmt, ...]:
        outer = self.v.out
        self.v.out = []
        try:
            for s in stmts:
                self.statement(s)
            made = tuple(self.v.out)
        finally:
            self.v.out = outer
        if not all(isinstance(x, Uniform) for x in made):
            raise NotVector("a loop counter that differs between lanes")
        return made

    def _before_loop(self, body: tuple[Stmt, ...]) -> None:
        """What later rounds may see counts at the start: stores, and variables that change."""
        self._stored(*self.v.memory.stores(body))
        for name in assigned_names(body):
            self.v.buffers.forget_variable(name)

    def _while(self, cond: Expr, body: tuple[Stmt, ...], at_end: bool) -> None:
        if self._mask is not None or not is_uniform(cond, self.facts):
            raise NotVector("lanes leave the loop at different times")
        if leaves_early(body, self.facts):
            raise NotVector("lanes leave the loop at different times")
        self._before_loop(body)
        self._loop_condition(cond)
        self.v.out.append(TileWhile(cond, self.block(body), at_end))


def _bare(e: Expr) -> Expr:
    """``e`` without conversions between integers of 32 or more bits.

    A counter below 2**31 that a sum of launch dimensions is added to keeps its value through them.
    """
    while isinstance(e, Cast) and isinstance(e.type, Scalar) and e.type.is_integer:
        inner = e.operand.type
        if e.type.bits < 32 or not isinstance(inner, Scalar) or not inner.is_integer:
            break
        e = e.operand
    return e


def _is_read(e: Expr, name: str) -> bool:
    return isinstance(e, Read) and isinstance(e.place, VarPlace) and e.place.name == name


def _is_place(s: Assign, name: str) -> bool:
    return isinstance(s.place, VarPlace) and s.place.name == name


def _all(conds: tuple[Expr, ...]) -> Expr:
    made = conds[0]
    for c in conds[1:]:
        made = Binary(BinaryOp.LAND, made, c)
    return made
