"""Steps of a lane program whose results nobody reads are removed.

    exchange o = shfl_down(v, 16, 32)        (nothing, when v is not read behind the loop)
    region { v = (v + o) }

Legal because a step without writes to memory outside the block can only be seen through the names
that it sets. A walk from the end to the start knows which names are still read. A value that all
lanes overwrite is not read any more before that; elements of arrays are never taken as overwritten.
Loops are taken to end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from typing_extensions import assert_never

from migrate.ir.expr import Expr, Place, PtrElem, VarPlace
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
    walk_lanes,
)
from migrate.ir.simt import Assign, Atomic, Break, Continue, Declare, For, If, Stmt, While
from migrate.ir.walk import (
    all_exprs,
    place_exprs,
    root,
    stmt_exprs,
    stmt_places,
    var_names,
    walk_stmts,
)

Live = frozenset[str]


def without_unused(program: LaneKernel) -> LaneKernel:
    """The program without steps, arrays, buffers and variables that have no use."""
    arrays = frozenset(a.name for a in program.arrays)
    body, _ = _Walk(arrays).steps(program.body, frozenset())
    used = _names(body)
    return replace(
        program,
        body=body,
        arrays=tuple(a for a in program.arrays if a.name in used),
        buffers=tuple(b for b in program.buffers if b.name in used),
        variables=tuple(v for v in program.variables if v.name in used),
    )


def _names(body: tuple[LaneStmt, ...]) -> Live:
    found: set[str] = set()
    for s in walk_lanes(body):
        match s:
            case Region(inner, mask):
                found |= _reads(all_exprs(inner))
                for x in walk_stmts(inner):
                    found |= {r.name for p in stmt_places(x) if isinstance(r := root(p), VarPlace)}
                found |= {mask} if mask is not None else set()
            case BlockAssign(name, value):
                found |= {name} | var_names(value)
            case Exchange(_, result, operands, mask):
                found |= {result} | _reads(operands)
                found |= {mask} if mask is not None else set()
            case Branch(cond) | Loop(cond):
                found |= var_names(cond)
            case AnyLane(mask):
                found.add(mask)
            case Reduce(_, result, value):
                found |= {result, value}
            case Scan(array):
                found.add(array)
            case _:
                assert_never(s)
    return frozenset(found)


def _reads(exprs: Iterable[Expr]) -> Live:
    return frozenset[str]().union(*map(var_names, exprs))


class _Walk:
    def __init__(self, arrays: Live) -> None:
        self._arrays = arrays
        self._jumps = 0

    # --- steps of the block

    def steps(self, body: tuple[LaneStmt, ...], live: Live) -> tuple[tuple[LaneStmt, ...], Live]:
        out: list[LaneStmt] = []
        for s in reversed(body):
            made, live = self._step(s, live)
            out[:0] = made
        return tuple(out), live

    def _step(self, s: LaneStmt, live: Live) -> tuple[tuple[LaneStmt, ...], Live]:
        match s:
            case Region(()):
                return (s,), live
            case Region(inner, mask):
                kept, before = self._stmts(inner, live)
                if mask is not None and kept:
                    before |= live | {mask}
                return ((replace(s, body=kept),), before) if kept else ((), live)
            case BlockAssign(name, value):
                return ((s,), live - {name} | var_names(value)) if name in live else ((), live)
            case Exchange(_, result, operands, mask):
                if result not in live:
                    return (), live
                rest = live if mask is not None else live - {result}
                return (s,), rest | _reads(operands) | ({mask} if mask is not None else set())
            case Reduce(_, result, value):
                return ((s,), live - {result} | {value}) if result in live else ((), live)
            case Scan(array):
                return ((s,), live) if array in live else ((), live)
            case Branch(cond, then, other):
                a, live_a = self.steps(then, live)
                b, live_b = self.steps(other, live)
                if not a and not b:
                    return (), live
                return (replace(s, then=a, other=b),), live_a | live_b | var_names(cond)
            case Loop(cond, inner, step):
                return self._loop(s, inner, step, var_names(cond), live)
            case AnyLane(mask, inner):
                return self._loop(s, inner, (), frozenset({mask}), live)
            case _:
                assert_never(s)

    def _loop(
        self,
        s: Loop | AnyLane,
        body: tuple[LaneStmt, ...],
        step: tuple[LaneStmt, ...],
        test: Live,
        live: Live,
    ) -> tuple[tuple[LaneStmt, ...], Live]:
        # A loop that only counts its own rounds is not read by its test alone.
        for reads in (frozenset[str](), test):
            head = live | reads
            while True:
                moved, between = self.steps(step, head)
                kept, before = self.steps(body, between)
                if before <= head:
                    break
                head |= before
            if not kept and not moved:
                return (), live
        made = replace(s, body=kept, step=moved) if isinstance(s, Loop) else replace(s, body=kept)
        return (made,), head

    # --- statements of a lane

    def _stmts(self, body: tuple[Stmt, ...], live: Live) -> tuple[tuple[Stmt, ...], Live]:
        out: list[Stmt] = []
        for s in reversed(body):
            made, live = self._stmt(s, live)
            if isinstance(s, Declare) and not made and s.name in _mentioned(out):
                made = (replace(s, init=None),)  # set before it is read
            out[:0] = made
        return tuple(out), live

    def _stmt(self, s: Stmt, live: Live) -> tuple[tuple[Stmt, ...], Live]:
        match s:
            case Declare(name, _, init):
                if name not in live:
                    return (), live
                rest = live if self._jumps else live - {name}
                return (s,), rest if init is None else rest | var_names(init)
            case Assign(place, value):
                return self._assign(s, place, (value,), live)
            case Atomic(_, place, operands, result):
                if result in live:
                    return (s,), live | _reads((*operands, *place_exprs(place))) | _base(place)
                return self._assign(s, place, operands, live)
            case If(cond, then, other):
                a, live_a = self._stmts(then, live)
                b, live_b = self._stmts(other, live)
                if not a and not b:
                    return (), live
                return (replace(s, then=a, other=b),), live_a | live_b | var_names(cond)
            case For(init, cond, step, body):
                return self._for(s, init, cond, step, body, live)
            case While(cond, body):
                kept, _, head = self._rounds(body, (), var_names(cond), live)
                return ((replace(s, body=kept),), head) if kept else ((), live)
            case _:
                return (s,), live | _reads(stmt_exprs(s))

    def _assign(
        self, s: Assign | Atomic, place: Place, values: tuple[Expr, ...], live: Live
    ) -> tuple[tuple[Stmt, ...], Live]:
        base = root(place)
        reads = _reads((*values, *place_exprs(place)))
        if isinstance(base, PtrElem):
            return (s,), live | reads
        if not isinstance(base, VarPlace) or base.name not in live:
            return (), live
        whole = isinstance(place, VarPlace) and isinstance(s, Assign) and not self._jumps
        if whole and base.name not in self._arrays:
            live -= {base.name}
        return (s,), live | reads

    def _for(
        self,
        s: For,
        init: tuple[Stmt, ...],
        cond: Expr,
        step: tuple[Stmt, ...],
        body: tuple[Stmt, ...],
        live: Live,
    ) -> tuple[tuple[Stmt, ...], Live]:
        kept, moved, head = self._rounds(body, step, var_names(cond), live)
        if not kept and not any(not isinstance(x, Declare) for x in moved):
            return (), live
        first, before = self._stmts(init, head)
        return (replace(s, init=first, step=moved, body=kept),), before

    def _rounds(
        self, body: tuple[Stmt, ...], step: tuple[Stmt, ...], test: Live, live: Live
    ) -> tuple[tuple[Stmt, ...], tuple[Stmt, ...], Live]:
        jumps = any(isinstance(x, Break | Continue) for x in walk_stmts(body))
        self._jumps += jumps
        for reads in (frozenset[str](), test):
            head = live | reads
            while True:
                moved, between = self._stmts(step, head)
                kept, before = self._stmts(body, between)
                if before <= head:
                    break
                head |= before
            if not kept and not moved:
                break
        self._jumps -= jumps
        return kept, moved, head


def _mentioned(body: Iterable[Stmt]) -> Live:
    """Names that statements read or set."""
    kept = tuple(body)
    places = [root(p) for s in walk_stmts(kept) for p in stmt_places(s)]
    return _reads(all_exprs(kept)) | {p.name for p in places if isinstance(p, VarPlace)}


def _base(p: Place) -> Live:
    base = root(p)
    return frozenset({base.name}) if isinstance(base, VarPlace) else frozenset()
