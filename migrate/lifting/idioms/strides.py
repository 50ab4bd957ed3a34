"""Loops over a row in steps of the block become loops over tiles.

    region {                                        joined region { sum = 0 }
      sum = 0                                       once k = 0
      for (var i = t; i < n; i = i + width) {       while (k < (n + width - 1) / width) {
        sum = sum + x[i]                              joined region {
      }                                                 var i = (k * width) + t
    }                                                   if (i < n) { sum = sum + x[i] }
                                                      }
                                                    } step { once k = k + 1 }

Legal because the lanes of a region have no order: they can take their rounds together. All lanes
begin a distance of ``t`` apart and step by the same amount, so the first lane has the most rounds,
and the test inside keeps the others to theirs. As everywhere for indices, ``i`` is taken not to
wrap (:mod:`migrate.analysis.affine`). What a lane keeps between rounds lies in a buffer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from migrate.analysis.affine import polynomial
from migrate.analysis.constants import const
from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Builtin,
    Cast,
    Const,
    Expr,
    IndexVar,
    Read,
    VarPlace,
)
from migrate.ir.lanes import (
    BlockAssign,
    BlockVariable,
    LaneBuffer,
    LaneKernel,
    LaneStmt,
    Loop,
    Region,
    walk_lanes,
)
from migrate.ir.simt import Assign, Break, Continue, Declare, For, If, Stmt
from migrate.ir.types import I32, U32, Scalar
from migrate.ir.walk import (
    all_exprs,
    assigned_names,
    declared_names,
    stmt_places,
    var_names,
    walk_stmts,
)
from migrate.lifting.fold import fold_expr
from migrate.lifting.idioms.boxes import independent
from migrate.lifting.idioms.rows import (
    BlockNames,
    at_thread,
    block_names,
    buffer_of,
    fixed_locals,
    touches,
    written_out,
)
from migrate.lifting.idioms.tidy import mapped
from migrate.lifting.naming import lane_names

_THREAD = "threadIdx.x"


def with_tile_loops(program: LaneKernel) -> LaneKernel:
    """The program with its strided loops between regions."""
    return _Strides(program).run()


@dataclass(frozen=True, slots=True)
class _Stride:
    """``for (i = base + t; i < stop; i += step) body``."""

    name: str
    base: Expr
    step: Expr
    stop: Expr
    loop: For


class _Strides:
    def __init__(self, program: LaneKernel) -> None:
        self._program = program
        self._names = lane_names(program)
        self._agreed: BlockNames = block_names(program)
        self._buffers: dict[str, Scalar] = {}
        self._counters: list[str] = []
        self._written = frozenset(_written(program))
        self._block_sizes = tuple(_block_sizes(program))

    def run(self) -> LaneKernel:
        body = mapped(self._program.body, self._list)
        return replace(
            self._program,
            body=body,
            buffers=(
                *self._program.buffers,
                *(LaneBuffer(n, k) for n, k in self._buffers.items()),
            ),
            variables=(
                *self._program.variables,
                *(BlockVariable(n, I32) for n in self._counters),
            ),
        )

    def _list(self, body: tuple[LaneStmt, ...]) -> tuple[LaneStmt, ...]:
        out: list[LaneStmt] = []
        for s in body:
            made = self._region(s) if isinstance(s, Region) and s.mask is None else None
            out += (s,) if made is None else made
        return tuple(out)

    def _region(self, s: Region) -> tuple[LaneStmt, ...] | None:
        values = fixed_locals(s.body)
        strides = {k: self._stride(x, values) for k, x in enumerate(s.body)}
        cuts = [k for k, found in strides.items() if found is not None]
        crossing = self._crossing(s.body, cuts) if cuts else None
        if crossing is None:
            return None
        self._buffers |= crossing
        again = {
            x.name: x
            for x in s.body
            if isinstance(x, Declare) and x.name in values and x.name not in crossing
        }
        if all(isinstance(x, Declare) for x in s.body):
            return None
        out: list[LaneStmt] = []
        start = 0
        for k in (*cuts, len(s.body)):
            piece = tuple(_kept(s.body[start:k], crossing))
            if k < len(s.body) or piece:
                out += self._piece(piece, again, s)
            if k < len(s.body):
                found = strides[k]
                assert found is not None
                out += self._loop(found, again, s)
            start = k + 1
        out = _apart_from_boxes(out)
        last = out[-1]
        if not s.joined and isinstance(last, Region):
            out[-1] = replace(last, joined=False)
        elif not s.joined and (self._program.arrays or touches(s, self._written)):
            out.append(Region((), span=s.span))
        return tuple(out)

    def _piece(
        self, body: tuple[Stmt, ...], again: dict[str, Declare], s: Region
    ) -> Iterator[LaneStmt]:
        whole = _with_needed(body, again)
        if any(not isinstance(x, Declare) for x in whole):
            yield Region(whole, joined=True, span=s.span)

    def _loop(self, f: _Stride, again: dict[str, Declare], s: Region) -> Iterator[LaneStmt]:
        box = self._box(f)
        whole = _with_needed(f.loop.body, again)
        if box and independent(whole, dict(box), self._program):
            yield Region(whole, box=box, span=f.loop.span)
            return
        counter = VarPlace(self._names.fresh("k"), I32)
        self._counters.append(counter.name)
        k = Read(counter)
        i = VarPlace(f.name, I32)
        first = _sum(f.base, Binary(BinaryOp.MUL, k, f.step))
        lane = Cast(IndexVar(Builtin.THREAD, "x"), I32)
        test = Binary(BinaryOp.LT, Read(i), f.stop, span=f.loop.span)
        body: tuple[Stmt, ...] = (
            Declare(f.name, I32, _sum(first, lane), span=f.loop.span),
            If(test, f.loop.body, span=f.loop.span),
        )
        distance = _difference(f.stop, f.base)
        rounds = Binary(BinaryOp.DIV, _sum(distance, _difference(f.step, const(1, I32))), f.step)
        yield BlockAssign(counter.name, const(0, I32))
        yield Loop(
            Binary(BinaryOp.LT, k, rounds),
            (Region(_with_needed(body, again), joined=True, span=s.span),),
            (BlockAssign(counter.name, Binary(BinaryOp.ADD, k, const(1, I32))),),
            span=f.loop.span,
        )

    def _box(self, f: _Stride) -> tuple[tuple[str, int], ...]:
        """The numbers that the lanes take together, when those are 0 to a constant."""
        match f.base, f.stop:
            case Const(0), Const(stop) if f.step in self._block_sizes:
                return ((f.name, int(stop)),)
            case _:
                return ()

    # --- what is such a loop

    def _stride(self, s: Stmt, values: dict[str, Expr]) -> _Stride | None:
        match s:
            case For(
                (Declare(name, kind, Cast() | Read() | Binary() as init),),
                Binary(BinaryOp.LT, Read(VarPlace(tested)), stop),
                (Assign(VarPlace(moved), move),),
                body,
            ) if name == tested == moved and kind == I32 and init is not None:
                pass
            case _:
                return None
        changed = assigned_names(body)
        step = _step(name, move)
        if (
            step is None
            or name in changed
            or any(isinstance(x, Break | Continue) for x in walk_stmts(body))
        ):
            return None
        whole = written_out(init, values)
        start = polynomial(whole, {})
        others = [m for m, _ in start.terms if _THREAD in m and m != (_THREAD,)]
        opaque = any(_THREAD in a and a != _THREAD for a in start.atoms)
        if start.coefficient((_THREAD,)) != 1 or others or opaque:
            return None
        base = at_thread(whole, const(0, U32))
        stop, step = written_out(stop, values), written_out(step, values)
        if not all(self._agreed.agrees(e) for e in (base, stop, step)) or not _positive(step):
            return None
        return _Stride(name, base, step, stop, s)

    def _crossing(self, body: tuple[Stmt, ...], cuts: list[int]) -> dict[str, Scalar] | None:
        """Variables that have to lie in buffers; None when one cannot."""
        values = fixed_locals(body)
        edges = (*cuts, len(body))
        found: dict[str, Scalar] = {}
        for at, s in enumerate(body):
            if not isinstance(s, Declare):
                continue
            end = next(e for e in edges if e >= at)
            if not any(s.name in _named(x) for x in body[end:]):
                continue
            if s.name in values and self._again(values[s.name], values):
                continue
            if not isinstance(s.type, Scalar) or s.name not in assigned_names(body) | set(values):
                return None
            if self._declared_elsewhere(s.name, body):
                return None
            found[s.name] = s.type
        return found

    def _again(self, e: Expr, values: dict[str, Expr]) -> bool:
        return self._agreed.fixed(written_out(e, values))

    def _declared_elsewhere(self, name: str, body: tuple[Stmt, ...]) -> bool:
        regions = (s for s in walk_lanes(self._program.body) if isinstance(s, Region))
        return sum(name in declared_names(s.body) for s in regions) > 1 or any(
            name in declared_names((s,)) for s in body if not isinstance(s, Declare)
        )


def _block_sizes(program: LaneKernel) -> Iterator[Expr]:
    """What is the number of threads of a block."""
    x = IndexVar(Builtin.BLOCK_DIM, "x")
    yield x
    yield Cast(x, I32)
    for e in program.requires:
        match e:
            case Binary(BinaryOp.EQ, lhs, Const(size)) if lhs == x:
                yield const(int(size), I32)
                yield const(int(size), U32)
            case _:
                pass


def _apart_from_boxes(steps: list[LaneStmt]) -> list[LaneStmt]:
    """Points of a box are taken by other threads than the lanes were: all have to meet before."""
    out: list[LaneStmt] = []
    for s in steps:
        before = out[-1] if out else None
        if isinstance(s, Region) and s.box and isinstance(before, Region):
            out[-1] = replace(before, joined=False)
        elif isinstance(s, Region) and s.box and before is not None:
            out.append(Region(()))
        out.append(s)
    return out


def _written(program: LaneKernel) -> Iterator[str]:
    for s in walk_lanes(program.body):
        if isinstance(s, Region):
            for x in walk_stmts(s.body):
                yield from filter(None, map(buffer_of, stmt_places(x)))


def _step(name: str, move: Expr) -> Expr | None:
    """What is added to ``name``, as an i32."""
    match move:
        case Binary(BinaryOp.ADD, Read(VarPlace(moved)), step) if moved == name:
            return step
        case Cast(Binary(BinaryOp.ADD, Cast(Read(VarPlace(moved)), kind), step), whole) if (
            moved == name and kind == U32 and whole == I32
        ):
            return Cast(step, I32)
        case _:
            return None


def _positive(e: Expr) -> bool:
    match e:
        case Const(value):
            return int(value) > 0
        case IndexVar(Builtin.BLOCK_DIM | Builtin.GRID_DIM):
            return True
        case Cast(inner):
            return _positive(inner)
        case Binary(BinaryOp.MUL, a, b):
            return _positive(a) and _positive(b)
        case _:
            return False


def _sum(a: Expr, b: Expr) -> Expr:
    whole = Binary(BinaryOp.ADD, a, b)
    return fold_expr(whole) or whole


def _difference(a: Expr, b: Expr) -> Expr:
    if isinstance(b, Const) and int(b.value) == 0:
        return a
    whole = Binary(BinaryOp.SUB, a, b)
    return fold_expr(whole) or whole


def _named(s: Stmt) -> frozenset[str]:
    """All names that a statement reads or sets."""
    return frozenset[str]().union(assigned_names((s,)), *map(var_names, all_exprs((s,))))


def _kept(body: tuple[Stmt, ...], crossing: dict[str, Scalar]) -> Iterator[Stmt]:
    """A piece of a region whose crossing variables lie in buffers."""
    for s in body:
        if isinstance(s, Declare) and s.name in crossing:
            if s.init is not None:
                yield Assign(VarPlace(s.name, s.type), s.init, span=s.span, note=s.note)
        else:
            yield s


def _with_needed(body: tuple[Stmt, ...], again: dict[str, Declare]) -> tuple[Stmt, ...]:
    """A piece with the declarations in front of it that it needs."""
    there = {s.name for s in body if isinstance(s, Declare)}
    needed: dict[str, None] = {}

    def need(names: frozenset[str]) -> None:
        for name, declared in again.items():
            if name in names and name not in there and name not in needed:
                init = declared.init
                need(var_names(init) if init is not None else frozenset())
                needed[name] = None

    for s in body:
        need(_named(s))
    return (*(again[n] for n in needed), *body)
