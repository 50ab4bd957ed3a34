"""Runs a lane program for one size of block without its data: what ends up in which lane.

Indices, masks and strides of a cooperative algorithm depend on the size of the block alone, so they
are worked out; values from memory are followed as folds (:mod:`migrate.lifting.idioms.folds`). The
result says of each place in the program that reads a value whether it is, for every lane that gets
there, the fold over all lanes of one *group*: the values that the lanes had at one point before.

* A group is made where values of which nothing is known are stored to shared memory, added to it
  atomically, or are in a lane buffer at the end of a region.
* A loop with an unknown number of rounds is run once, with all that it changes unknown before and
  behind it; a branch with an unknown test is run both ways, and what differs is unknown.
* Lanes of a region run in lock step here. The order means nothing for a kernel without races
  (:mod:`migrate.ir.lanes`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from typing_extensions import assert_never

from migrate.ir.expr import (
    ArrElem,
    Binary,
    Expr,
    Place,
    PtrElem,
    Read,
    VarPlace,
)
from migrate.ir.lanes import (
    AnyLane,
    BlockAssign,
    Branch,
    Exchange,
    LaneKernel,
    LaneStmt,
    Loop,
    Reduce,
    Region,
    Scan,
)
from migrate.ir.simt import (
    Assign,
    Atomic,
    AtomicOp,
    Break,
    Continue,
    Declare,
    For,
    If,
    Stmt,
    While,
)
from migrate.ir.types import Scalar
from migrate.ir.walk import assigned_names, declared_names, place_exprs, root, walk_stmts
from migrate.lifting.idioms.changes import changed_names
from migrate.lifting.idioms.evaluate import Evaluator
from migrate.lifting.idioms.folds import (
    Flags,
    FoldOp,
    Places,
    Rows,
    State,
    choose,
    combine,
    same,
    unknown,
)
from migrate.lifting.idioms.traces import Recorder, Seed, Trace
from migrate.lifting.idioms.warps import exchanged, followed

_MOST_ROUNDS = 2048
_MOST_STATEMENTS = 12_000
_DYNAMIC = 2
"""Elements a lane that dynamic shared memory is taken to have; what lies beyond is not followed."""
_ATOMIC = {AtomicOp.ADD: FoldOp.SUM, AtomicOp.MAX: FoldOp.MAX, AtomicOp.MIN: FoldOp.MIN}


class Beyond(Exception):
    """The program cannot be followed: an index outside an array, or too many steps."""


@dataclass(slots=True)
class Active:
    """The lanes that certainly, and that possibly run a statement."""

    must: Flags
    may: Flags

    def where(self, cond: Rows) -> tuple[Active, Active]:
        """The lanes on both sides of a branch."""
        sure = cond.state == State.KNOWN
        yes, no = cond.number != 0, cond.number == 0
        return (
            Active(self.must & sure & yes, self.may & (~sure | yes)),
            Active(self.must & sure & no, self.may & (~sure | no)),
        )


def execute(program: LaneKernel, lanes: int) -> Trace:
    """Run a program for a block of ``lanes`` threads along x. Raises :class:`Beyond`."""
    run = Execution(program, lanes)
    run.steps(program.body)
    return run.record.trace


class Execution:
    """A run of a program for a size of block. What becomes a group, and what is written down of a
    run, is said by the methods under *what is looked at*."""

    def __init__(self, program: LaneKernel, lanes: int) -> None:
        self.lanes = lanes
        self.record = Recorder(lanes)
        self._program = program
        self._work = 0
        self._arrays = {a.name: a for a in program.arrays}
        self._buffers = {b.name: b.type for b in program.buffers}
        self._values: dict[str, Rows] = {}
        for a in program.arrays:
            self._values[a.name] = unknown(a.element, a.length or _DYNAMIC * lanes)
        for b in program.buffers:
            if isinstance(b.type, Scalar):
                self._values[b.name] = unknown(b.type, lanes)
        for v in program.variables:
            self._values[v.name] = unknown(v.type, lanes)
        self._evaluate = Evaluator(lanes, self._read, self.computed)

    # --- what is looked at

    def region_begins(self) -> None:
        """Lanes have met."""
        self.record.next_region()

    def region_ends(self, s: Region) -> None:
        """Values of lane buffers of which nothing is known become groups."""
        for name in sorted(assigned_names(s.body) & set(self._buffers)):
            rows = self._values.get(name)
            if rows is not None:
                lost = np.flatnonzero(rows.state == State.UNKNOWN)
                self.record.seeded(rows, lost, Seed(id(s), name))

    def given(self, s: Assign | Declare, name: str, value: Rows, active: Active) -> Rows:
        """What the variable ``name`` of each lane is set to."""
        del s, name, active
        return value

    def stored(self, s: Assign | Atomic, at: Places, value: Rows, active: Active) -> Rows:
        """What is stored to the elements ``at`` of a shared array, or goes into them."""
        del at
        lost = np.flatnonzero(active.must & (value.state == State.UNKNOWN))
        value = value.copy()
        self.record.seeded(value, lost, Seed(id(s)))
        return value

    def was_read(self, e: Read, value: Rows, may: Flags) -> None:
        """The lanes of ``may`` read ``value``."""
        self.record.note(e, value, may)

    def computed(self, e: Binary, value: Rows, may: Flags) -> None:
        """An operator gave ``value`` in the lanes of ``may``."""

    # --- steps of the block

    def steps(self, body: tuple[LaneStmt, ...]) -> None:
        """Run steps of the block."""
        for s in body:
            self._step(s)

    def _step(self, s: LaneStmt) -> None:
        everyone = np.ones(self.lanes, np.bool_)
        match s:
            case Region():
                self._run_region(s)
            case BlockAssign(name, value):
                self._values[name] = self._evaluate(value, everyone).copy()
            case Exchange():
                self._exchange(s)
            case Branch(cond, then, other):
                self._branch(self._evaluate(cond, everyone), then, other)
            case Loop(cond, inner, step):
                self._loop(cond, (*inner, *step))
            case AnyLane(_, inner):
                self._forget(inner)
                self.steps(inner)
                self._forget(inner)
            case Reduce(_, result):
                # Such a step stands for a vote, whose value depends on data.
                self._values[result].forget(everyone)
                self.region_begins()
            case Scan():
                raise Beyond
            case _:
                assert_never(s)

    def _branch(self, cond: Rows, then: tuple[LaneStmt, ...], other: tuple[LaneStmt, ...]) -> None:
        if cond.is_known():
            self.steps(then if cond.number[0] else other)
            return
        before = {n: r.copy() for n, r in self._values.items()}
        self.steps(then)
        after = self._values
        self._values = before
        self.steps(other)
        self._values = {n: _meet(r, after[n]) for n, r in self._values.items() if n in after}

    def _loop(self, cond: Expr, body: tuple[LaneStmt, ...]) -> None:
        everyone = np.ones(self.lanes, np.bool_)
        for _ in range(_MOST_ROUNDS):
            test = self._evaluate(cond, everyone)
            if not test.is_known():
                break
            if not test.number[0]:
                return
            self.steps(body)
        self._forget(body)
        self._evaluate(cond, everyone)
        self.steps(body)
        self._forget(body)

    def _forget(self, body: tuple[LaneStmt, ...]) -> None:
        for name in changed_names(body):
            if name in self._values:
                self._values[name].forget(np.ones(self._values[name].size, np.bool_))

    # --- regions

    def _run_region(self, s: Region) -> None:
        if s.box:
            raise Beyond
        self.region_begins()
        everyone = np.ones(self.lanes, np.bool_)
        active = Active(everyone, everyone)
        if s.mask is not None:
            active, _ = active.where(self._values[s.mask])
        self._stmts(s.body, active)
        for name in declared_names(s.body):
            self._values.pop(name, None)
        self.region_ends(s)

    def _stmts(self, body: tuple[Stmt, ...], active: Active) -> None:
        for s in body:
            self._work += 1
            if self._work > _MOST_STATEMENTS:
                raise Beyond
            self._stmt(s, active)

    def _stmt(self, s: Stmt, active: Active) -> None:
        match s:
            case Declare(name, Scalar() as kind, init):
                value = unknown(kind, self.lanes)
                if init is not None:
                    value = self._evaluate(init, active.may)
                self._values[name] = self.given(s, name, value, active).copy()
            case Assign(place, value):
                self._assign(s, place, self._evaluate(value, active.may), active)
            case If(cond, then, other):
                yes, no = active.where(self._evaluate(cond, active.may))
                if yes.may.any():
                    self._stmts(then, yes)
                if no.may.any():
                    self._stmts(other, no)
            case For(init, cond, step, body):
                self._stmts(init, active)
                self._rounds(cond, (*body, *step), active)
            case While(cond, body):
                self._rounds(cond, body, active)
            case Atomic():
                self._atomic(s, active)
            case _:
                self.lose((s,), active)

    def _rounds(self, cond: Expr, body: tuple[Stmt, ...], active: Active) -> None:
        leaves = any(isinstance(s, Break | Continue) for s in walk_stmts(body))
        now = active
        for _ in range(0 if leaves else _MOST_ROUNDS):
            test = self._evaluate(cond, now.may)
            if (test.state[now.may] != State.KNOWN).any():
                break
            now, _ = now.where(test)
            if not now.may.any():
                return
            self._stmts(body, now)
        rest = Active(np.zeros(self.lanes, np.bool_), now.may)
        self.lose(body, rest)
        self._evaluate(cond, now.may)
        self._stmts(body, rest)
        self.lose(body, rest)

    def lose(self, body: tuple[Stmt, ...], active: Active) -> None:
        """Nothing is known any more of what statements set."""
        for name in assigned_names(body):
            rows = self._values.get(name)
            if rows is None:
                continue
            whole = np.ones(rows.size, np.bool_)
            rows.forget(whole if name in self._arrays else active.may)

    def _assign(self, s: Assign, place: Place, value: Rows, active: Active) -> None:
        sure = np.flatnonzero(active.must)
        maybe = np.flatnonzero(active.may & ~active.must)
        match place:
            case VarPlace(name) if name in self._values and name not in self._arrays:
                rows = self._values[name].copy()
                value = self.given(s, name, value, active)
                rows.put(sure, value.take(sure))
                rows.forget(active.may & ~active.must)
                self._values[name] = rows
            case VarPlace(name) | ArrElem(VarPlace(name)) if name in self._arrays:
                at = self._index(place, active.may)
                if at is None:
                    self.lose((s,), active)
                    return
                value = self.stored(s, at, value, active)
                self._values[name].put(at[sure], value.take(sure))
                gone = np.zeros(self._values[name].size, np.bool_)
                gone[at[maybe]] = True
                self._values[name].forget(gone)
            case _:
                self._looked_up(place, active.may)
                self.lose((s,), active)

    def _looked_up(self, place: Place, may: Flags) -> None:
        """What an index into other memory reads is read too."""
        for e in place_exprs(place):
            self._evaluate(e, may)

    def _atomic(self, s: Atomic, active: Active) -> None:
        value = self._evaluate(s.operands[0], active.may)
        at = self._index(s.place, active.may)
        target = root(s.place)
        op = _ATOMIC.get(s.op)
        apart = (active.may & ~active.must).any()
        if at is None or op is None or apart or not isinstance(target, VarPlace):
            self._looked_up(s.place, active.may)
            self.lose((s,), active)
        else:
            sure = np.flatnonzero(active.must)
            value = self.stored(s, at, value, active)
            rows = self._values[target.name]
            for lane in sure:
                here, mine = at[lane : lane + 1], np.array([lane])
                rows.put(here, combine(op, rows.take(here), value.take(mine)))
        if s.result is not None and isinstance(s.place.type, Scalar):
            self._values[s.result] = unknown(s.place.type, self.lanes)

    # --- places

    def _index(self, place: Place, may: Flags) -> Places | None:
        """The elements that lanes touch, or None when one is not known."""
        match place:
            case VarPlace(name) if name in self._arrays:
                return np.zeros(self.lanes, np.int64)
            case ArrElem(VarPlace(name), index) if name in self._arrays:
                found = self._evaluate(index, may)
                if (found.state[may] != State.KNOWN).any():
                    return None
                at = np.where(may, found.number, 0).astype(np.int64)
                if may.any() and (at.min() < 0 or at.max() >= self._values[name].size):
                    raise Beyond
                return at
            case _:
                return None

    def _read(self, e: Read, may: Flags) -> Rows:
        kind = e.type
        if not isinstance(kind, Scalar):
            raise Beyond
        value = unknown(kind, self.lanes)
        match e.place:
            case VarPlace(name) if name in self._values and name not in self._arrays:
                value = self._values[name]
            case VarPlace(name) | ArrElem(VarPlace(name)) if name in self._arrays:
                at = self._index(e.place, may)
                if at is not None:
                    value = self._values[name].take(at)
            case ArrElem(_, index) | PtrElem(_, index):
                self._evaluate(index, may)
            case _:
                pass
        self.was_read(e, value, may)
        return value

    # --- operations among lanes

    def _exchange(self, s: Exchange) -> None:
        everyone = np.ones(self.lanes, np.bool_)
        part = Active(everyone, everyone)
        if s.mask is not None:
            part, _ = part.where(self._values[s.mask])
        result = self._values[s.result]
        made = unknown(result.kind, self.lanes)
        if followed(s.op):
            made = exchanged(s.op, [self._evaluate(e, part.may) for e in s.operands], part.must)
        rows = choose(part.must, made, result)
        rows.forget(part.may & ~part.must)
        self._values[s.result] = rows
        self.region_begins()


def _meet(a: Rows, b: Rows) -> Rows:
    out = a.copy()
    out.forget(~same(a, b))
    return out
