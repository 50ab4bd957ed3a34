"""A lane program with its lanes written out, for back ends that print loops.

    region where m { v = (v + o) }     each lane { if (m[lane] != 0) { v[lane] = (v[lane] + ...) } }
    exchange o =                       each lane { var source = (lane + 1)
      shfl_down(v, 1, 32)                o[lane] = (source is in range ? v[source] : v[lane]) }
    any m { ... }                      single { left = 0, but 1 where m[k] != 0 }
                                       while (left != 0) { ...  single { the same } }

Lane buffers become arrays of ``threads`` elements (an array of each lane: an array of arrays),
those of ``bool`` arrays of i32, and so do shared ones. ``lane`` and ``threads`` are two i32
variables that a back end provides. Every step runs to its end before the next one starts; a step
for each lane may take the lanes in any order, since a lane only writes its own slot of what other
lanes read in that step.

Exact for the operations that CUDA defines: the loops over the lanes of a warp end with the block,
so a last warp of fewer threads has no lanes beyond.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from typing_extensions import assert_never

from migrate.analysis.constants import const
from migrate.ir.expr import (
    ArrElem,
    Binary,
    BinaryOp,
    Cast,
    Const,
    Expr,
    Place,
    Read,
    Select,
    VarPlace,
)
from migrate.ir.lane_code import EachLane, Fold, LaneCode, Repeat, Single, Step, Sums, Test
from migrate.ir.lanes import (
    WARP,
    AnyLane,
    BlockAssign,
    BlockVariable,
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
from migrate.ir.simt import Assign, Declare, For, If, Stmt
from migrate.ir.types import BOOL, I32, U32, Array, Scalar, Type
from migrate.ir.walk import Rewriter
from migrate.lifting.lane_folds import (
    BITS,
    FOLDS,
    binary,
    conjunction,
    is_zero,
    nonzero,
    number,
    same_bits,
    sure,
)
from migrate.lifting.naming import lane_names


def lane_code(program: LaneKernel, lane: str = "lane") -> LaneCode:
    """Write out the lanes of a program; ``lane`` is what their variable is called if it can be."""
    return _Writer(program, lane).run()


def stored(kind: Scalar | Array) -> Scalar | Array:
    """The type of a lane buffer's slot: i32 for ``bool``."""
    if isinstance(kind, Array):
        return replace(kind, element=I32) if kind.element == BOOL else kind
    return _stored(kind)


def scalar_of(kind: Type) -> Scalar:
    """A type that has to be a scalar."""
    if not isinstance(kind, Scalar):
        raise TypeError(f"{kind} is no scalar")
    return kind


def _stored(kind: Scalar) -> Scalar:
    return I32 if kind == BOOL else kind


class _Writer(Rewriter):
    def __init__(self, program: LaneKernel, lane: str) -> None:
        super().__init__(place=self._place, stmt=self._stmt)
        self._program = program
        self._names = lane_names(program)
        self._lane = VarPlace(self._names.fresh(lane), I32)
        self._threads = VarPlace(self._names.fresh("threads"), I32)
        self._buffers = {b.name: b.type for b in program.buffers}
        self._crossing: set[str] = set()
        self._counters: list[BlockVariable] = []
        self._arrays = {a.name: a for a in program.arrays}
        self._totals = {s.result for s in walk_lanes(program.body) if isinstance(s, Reduce)}

    def run(self) -> LaneCode:
        body = self._list(self._program.body)
        return LaneCode(
            self._program,
            self._lane,
            self._threads,
            tuple(replace(a, element=_stored(a.element)) for a in self._program.arrays),
            tuple(replace(b, type=stored(b.type)) for b in self._program.buffers),
            frozenset(self._crossing),
            (*self._program.variables, *self._counters),
            body,
        )

    def _list(self, stmts: tuple[LaneStmt, ...]) -> tuple[Step, ...]:
        return tuple(step for s in stmts for step in self._steps(s))

    def _steps(self, s: LaneStmt) -> tuple[Step, ...]:
        match s:
            case Region(body, mask, joined, box):
                return (EachLane(self._masked(self.body(body), mask), joined, box, span=s.span),)
            case BlockAssign(name, value):
                kinds = {v.name: v.type for v in self._program.variables}
                assign = Assign(VarPlace(name, kinds[name]), self.expr(value), span=s.span)
                return (Single((assign,), span=s.span),)
            case Exchange():
                return (self._exchange(s),)
            case Branch(cond, then, other):
                return (Test(self.expr(cond), self._list(then), self._list(other), span=s.span),)
            case Loop(cond, body, step):
                return (Repeat(self.expr(cond), self._list(body), self._list(step), span=s.span),)
            case AnyLane(mask, body):
                left = VarPlace(self._names.fresh("left"), I32)
                self._counters.append(BlockVariable(left.name, I32))
                test = self._over_block(left, number(0), mask, None, lambda _: number(1))
                inner = (*self._list(body), test)
                return test, Repeat(nonzero(Read(left)), inner, (), span=s.span)
            case Reduce(op, result, value, order):
                return (Fold(op, result, value, order, span=s.span),)
            case Scan(array, order):
                return (Sums(array, order, span=s.span),)
            case _:
                assert_never(s)

    # --- this lane's slots

    def _slot(self, name: str, at: Expr) -> Place:
        kind = stored(self._buffers[name])
        return ArrElem(VarPlace(name, Array(kind, 0)), at)

    def _mine(self, name: str) -> Place:
        return self._slot(name, Read(self._lane))

    def _place(self, p: Place) -> Place | None:
        """This lane's slot; a shared variable is an array of one element."""
        match p:
            case VarPlace(name, kind) if name in self._totals:
                return ArrElem(replace(p, type=Array(scalar_of(kind), 1)), number(0), span=p.span)
            case VarPlace(name) if name in self._buffers:
                return self._mine(name)
            case VarPlace(name) if name in self._arrays:
                array = replace(self._arrays[name], element=_stored(self._arrays[name].element))
                whole = replace(p, type=replace(array, scalar=False).type)
                return ArrElem(whole, number(0), span=p.span) if array.scalar else whole
            case _:
                return None

    def expr(self, e: Expr) -> Expr:
        """Rewrite one expression; a ``bool`` slot is an i32."""
        new = super().expr(e)
        if isinstance(e, Read) and isinstance(new, Read) and e.type == BOOL != new.type:
            return nonzero(new)
        return new

    def _stmt(self, s: Stmt) -> tuple[Stmt, ...] | None:
        match s:
            case Assign(place, value) if value.type == BOOL != place.type:
                return (replace(s, value=Cast(value, I32, span=value.span)),)
            case _:
                return None

    def _masked(self, body: tuple[Stmt, ...], mask: str | None) -> tuple[Stmt, ...]:
        if mask is None:
            return body
        return (If(nonzero(Read(self._mine(mask))), body),)

    def _given(self, e: Expr, at: Expr | None = None) -> Expr:
        """An operand of lane ``at`` (this one when left out)."""
        match e:
            case Read(VarPlace(name)) if name in self._buffers:
                if at is None:
                    return Read(self._mine(name))
                self._crossing.add(name)
                return Read(self._slot(name, at))
            case _:
                return e

    # --- operations among lanes

    def _exchange(self, s: Exchange) -> Step:
        if s.op.startswith("syncthreads"):
            return self._block_vote(s)
        body = self._shuffle(s) if s.op.startswith("shfl") else self._of_warp(s)
        return EachLane(self._masked(body, s.mask), span=s.span)

    def _shuffle(self, s: Exchange) -> tuple[Stmt, ...]:
        value, amount, width = s.operands
        lane: Expr = Read(self._lane)
        w = self._given(width)
        last = number(int(w.value) - 1) if isinstance(w, Const) else _minus_one(w)
        moved = _as_i32(self._given(amount))
        within = binary(BinaryOp.AND, lane, last)
        inside: list[Expr] = []
        source = VarPlace(self._names.fresh("source"), I32)
        at: Expr = Read(source)
        match s.op:
            case "shfl":
                start = binary(BinaryOp.SUB, lane, within)
                value_at = binary(BinaryOp.ADD, start, binary(BinaryOp.AND, moved, last))
            case "shfl_up":
                value_at = binary(BinaryOp.SUB, lane, moved)
                inside.append(binary(BinaryOp.LE, moved, within))
            case "shfl_down":
                value_at = binary(BinaryOp.ADD, lane, moved)
                inside.append(binary(BinaryOp.LE, binary(BinaryOp.ADD, within, moved), last))
            case _:
                value_at = binary(BinaryOp.XOR, lane, moved)
                end = binary(BinaryOp.ADD, binary(BinaryOp.SUB, lane, within), last)
                inside.append(binary(BinaryOp.LE, at, end))
        if not isinstance(moved, Const) and s.op != "shfl":
            inside.append(binary(BinaryOp.GE, at, number(0)))
        inside.append(binary(BinaryOp.LT, at, Read(self._threads)))
        result = Select(conjunction(inside), self._given(value, at), self._given(value))
        return (
            Declare(source.name, I32, value_at),
            Assign(self._mine(s.result), result, span=s.span),
        )

    def _of_warp(self, s: Exchange) -> tuple[Stmt, ...]:
        """A fold over the lanes of the warp that take part."""
        members = None if s.op == "activemask" else s.operands[0]
        value = s.operands[1] if len(s.operands) > 1 else None
        start, fold, end = FOLDS[s.op if s.op in FOLDS else s.op.removeprefix("reduce_")]
        slot = self._buffers[s.result]
        kind = slot if isinstance(slot, Scalar) else U32
        own = None if value is None else self._given(value)
        folded = U32 if s.op in BITS else kind
        total = VarPlace(self._names.fresh("total"), folded)
        counter = VarPlace(self._names.fresh("k"), I32)
        other = VarPlace(self._names.fresh("other"), I32)
        at, k = Read(other), Read(counter)
        theirs = None if value is None else self._given(value, at)
        kept = Assign(total, fold(Read(total), own, theirs, k))
        body: tuple[Stmt, ...] = (kept,)
        if s.op in BITS and value is not None:
            body = (If(self._says(s.op, own, theirs), body),)
        if members is not None and not (isinstance(members, Const) and members.value == _FULL):
            shifted = binary(BinaryOp.SHR, self._given(members), k)
            body = (If(nonzero(binary(BinaryOp.AND, shifted, Const(1, U32))), body),)
        if s.mask is not None:
            self._crossing.add(s.mask)
            body = (If(nonzero(Read(self._slot(s.mask, at))), body),)
        body = (If(binary(BinaryOp.LT, at, Read(self._threads)), body),)
        lane: Expr = Read(self._lane)
        first = binary(BinaryOp.SUB, lane, binary(BinaryOp.AND, lane, number(WARP - 1)))
        loop = _count(
            counter,
            number(WARP),
            (Declare(other.name, I32, binary(BinaryOp.ADD, first, k)), *body),
        )
        return (
            Declare(total.name, total.type, start(folded, own)),
            loop,
            Assign(self._mine(s.result), end(Read(total), kind), span=s.span),
        )

    @staticmethod
    def _says(op: str, own: Expr | None, theirs: Expr | None) -> Expr:
        """Which lanes are marked: for ``all`` those that say no."""
        other = sure(theirs)
        match op:
            case "match_any":
                return same_bits(sure(own), other)
            case "all":
                return is_zero(other)
            case _:
                return nonzero(other)

    def _block_vote(self, s: Exchange) -> Step:
        (predicate,) = s.operands
        kinds = {v.name: v.type for v in self._program.variables}
        result = VarPlace(s.result, kinds[s.result])
        no = const(0, result.type) if isinstance(result.type, Scalar) else number(0)
        yes = const(1, result.type) if isinstance(result.type, Scalar) else number(1)
        match s.op:
            case "syncthreads_count":
                return self._over_block(
                    result, no, s.mask, predicate, lambda t: binary(BinaryOp.ADD, t, yes)
                )
            case "syncthreads_or":
                return self._over_block(result, no, s.mask, predicate, lambda _: yes)
            case _:
                return self._over_block(result, yes, s.mask, predicate, lambda _: no, wants=False)

    def _over_block(
        self,
        result: VarPlace,
        start: Expr,
        mask: str | None,
        predicate: Expr | None,
        fold: Callable[[Expr], Expr],
        wants: bool = True,
    ) -> Step:
        """``result`` is folded over the lanes of the mask whose predicate is as ``wants``."""
        counter = VarPlace(self._names.fresh("k"), I32)
        body: tuple[Stmt, ...] = (Assign(result, fold(Read(result))),)
        if predicate is not None:
            value = self._given(predicate, Read(counter))
            body = (If(nonzero(value) if wants else is_zero(value), body),)
        if mask is not None:
            self._crossing.add(mask)
            body = (If(nonzero(Read(self._slot(mask, Read(counter)))), body),)
        return Single((Assign(result, start), _count(counter, Read(self._threads), body)))


_FULL = 0xFFFFFFFF


def _as_i32(e: Expr) -> Expr:
    """A number of lanes, through a cast to unsigned."""
    match e:
        case Const(value):
            return number(int(value))
        case Cast(inner, kind) if kind == U32 and inner.type == I32:
            return inner
        case _:
            return e if e.type == I32 else Cast(e, I32)


def _minus_one(e: Expr) -> Expr:
    return Binary(BinaryOp.SUB, e, number(1))


def _count(counter: VarPlace, stop: Expr, body: tuple[Stmt, ...]) -> For:
    step = Assign(counter, binary(BinaryOp.ADD, Read(counter), number(1)))
    start = Declare(counter.name, I32, number(0))
    return For((start,), binary(BinaryOp.LT, Read(counter), stop), (step,), body)
