"""Reductions over a block: what threads fold together step by step becomes one operation.

    region { tree.[t] = mine }                       region { partial = mine }
    once half = (blockDim.x / 2)                     reduce total = sum(partial)
    while (half > 0) {                               region { if (t == 0) { out[b] = total } }
      region { if (t < half) {
        tree.[t] = (tree.[t] + tree.[(t + half)]) } } }
    region { if (t == 0) { out[b] = tree.[0] } }

No shape of code is looked for. The program is run on abstract values for a size of block
(:mod:`migrate.lifting.idioms.execute`); a place that reads, in every lane that gets there, each
lane's value exactly once reads the whole reduction, however the threads got to it: by a tree, by
shuffles, warp by warp, or by atomic additions to shared memory. Those places read the result of a
:class:`Reduce` instead, and what nobody reads any more is removed. The rewrite is kept when no
operation among lanes and no shared array is left.

The proof is made for each size by itself; the program says in ``requires`` for which it holds.
Integer sums, and largest and smallest values, are the same in any order (for NaN as CUDA's ``fmax``
and ``fmin`` have it). Sums of floats round differently in another order: they are lifted only when
their order is known (:mod:`migrate.lifting.idioms.orders`). On the C target the sum is made in that
order, so that the comparison with the original is as sharp as for any kernel; on a GPU TileLang
adds up in an order of its own, with an error of the same size: at most ``log2(n)`` roundings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from typing_extensions import assert_never

from migrate.analysis.constants import const
from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Call,
    Const,
    Expr,
    Read,
    Select,
    VarPlace,
)
from migrate.ir.lanes import (
    AnyLane,
    BlockAssign,
    BlockVariable,
    Branch,
    Exchange,
    LaneBuffer,
    LaneKernel,
    LaneStmt,
    Loop,
    Reduce,
    Region,
    Scan,
    walk_lanes,
)
from migrate.ir.simt import Assign, Atomic, Stmt
from migrate.ir.types import Kind, Scalar
from migrate.ir.walk import Rewriter, walk_stmts
from migrate.lifting.idioms.execute import Beyond, execute
from migrate.lifting.idioms.folds import FoldOp, identity
from migrate.lifting.idioms.orders import ORDERS
from migrate.lifting.idioms.rows import BlockNames, block_names, fixed_locals, written_out
from migrate.lifting.idioms.sizes import (
    POWERS,
    WHOLE_WARPS,
    general,
    is_row,
    one_of,
    tried_sizes,
)
from migrate.lifting.idioms.traces import Seed, Trace, Whole
from migrate.lifting.idioms.unused import without_unused
from migrate.lifting.naming import lane_names

_WORDS = {FoldOp.SUM: "sum", FoldOp.MAX: "max", FoldOp.MIN: "min"}
_NAMES = {FoldOp.ONE: "given", FoldOp.SUM: "total", FoldOp.MAX: "largest", FoldOp.MIN: "smallest"}


def with_reductions(program: LaneKernel) -> LaneKernel | None:
    """The program with its reductions over the block as such, or None when none was proven."""
    if not is_row(program):
        return None
    for lanes in tried_sizes(program):
        try:
            trace = execute(program, lanes)
        except Beyond:
            continue
        plan = _plan(program, trace)
        if plan is None or _Rewrite(program, plan).run() is None:
            continue
        sizes, orders = _proven(program, plan, lanes)
        if not general(program, sizes):
            continue
        made = _Rewrite(program, replace(plan, orders=orders)).run()
        if made is not None:
            return replace(made, requires=(*made.requires, *one_of(sizes)))
    return None


# --- what to replace


@dataclass(frozen=True, slots=True)
class _Plan:
    """Reads by identity with the reduction that each is, and the groups that are folded."""

    reads: dict[int, Whole]
    partial: dict[Seed, bool]
    """Seeds that are folded, and whether lanes are left out."""
    kinds: dict[Seed, Scalar]
    orders: frozenset[str]
    """The orders in which all sums of floats can have been made."""
    given: tuple[Seed, ...]
    """Stores of one thread whose value all threads read."""


def _plan(program: LaneKernel, trace: Trace) -> _Plan | None:
    places = homes(program)
    reads = {
        at: w
        for at, w in trace.reads.items()
        if w is not None and places.get(w.seed.of) == 1 and trace.members[w.seed] is not None
    }
    partial = {w.seed: not _all(trace, w.seed) for w in reads.values()}
    ops: dict[Seed, set[FoldOp]] = {}
    for w in reads.values():
        ops.setdefault(w.seed, set()).add(w.op)
    # A value that one thread leaves for all is the block's own, if it is made of nothing else.
    given = [s for s, found in ops.items() if found == {FoldOp.ONE} and _alone(trace, s)]
    folded = [
        s
        for s, found in ops.items()
        if len(found) == 1 and FoldOp.ONE not in found and not (s.buffer and partial[s])
    ]
    reads = {at: w for at, w in reads.items() if w.seed in folded or w.seed in given}
    kinds = {s: trace.kinds[s] for s in (*folded, *given)}
    orders = _orders(reads.values(), kinds)
    if not folded or not orders:
        return None
    return _Plan(reads, {s: partial[s] for s in folded}, kinds, orders, tuple(given))


def _all(trace: Trace, seed: Seed) -> bool:
    members = trace.members[seed]
    return members is not None and bool(members.all())


def _alone(trace: Trace, seed: Seed) -> bool:
    members = trace.members[seed]
    return not seed.buffer and members is not None and int(members.sum()) == 1


def _orders(reads: Iterable[Whole], kinds: Mapping[Seed, Scalar]) -> frozenset[str]:
    """The orders that fit all sums of floats."""
    found = frozenset(ORDERS)
    for w in reads:
        if w.op is FoldOp.SUM and kinds[w.seed].is_float:
            found &= w.orders
    return found


def homes(program: LaneKernel) -> dict[int, int]:
    """How often each region and each statement of one stands in the program."""
    found: dict[int, int] = {}
    for s in walk_lanes(program.body):
        if isinstance(s, Region):
            for x in (s, *walk_stmts(s.body)):
                found[id(x)] = found.get(id(x), 0) + 1
    return found


def _proven(program: LaneKernel, plan: _Plan, first: int) -> tuple[frozenset[int], frozenset[str]]:
    """The sizes of block for which the same reads are the same reductions, and the orders that fit
    for all of them. Sizes that are no powers of two count when all whole warps do."""
    good, orders = {first}, plan.orders
    others = [n for n in WHOLE_WARPS if n not in POWERS]
    for lanes in (*POWERS, *others):
        if lanes != first:
            fits = _orders_at(program, plan, lanes) & orders
            if fits:
                good.add(lanes)
                orders = fits
            elif lanes in others:
                break
    return frozenset(good), orders


def _orders_at(program: LaneKernel, plan: _Plan, lanes: int) -> frozenset[str]:
    """The orders that fit at a size; none when the plan does not hold there."""
    try:
        trace = execute(program, lanes)
    except Beyond:
        return frozenset()
    found = {at: trace.reads.get(at, w) for at, w in plan.reads.items()}
    if not all(_agrees(w, plan.reads[at], lanes) for at, w in found.items()):
        return frozenset()
    if not all(_alike(trace, s, p) for s, p in plan.partial.items()):
        return frozenset()
    if lanes == 1:
        return plan.orders
    return _orders([w for w in found.values() if w is not None], plan.kinds)


def _agrees(found: Whole | None, planned: Whole, lanes: int) -> bool:
    """Whether a read is the planned reduction; of one lane, that is its value."""
    alone = lanes == 1 and found is not None and found.op is FoldOp.ONE
    return found == planned or (alone and found is not None and found.seed == planned.seed)


def _alike(trace: Trace, seed: Seed, partial: bool) -> bool:
    members = trace.members.get(seed)
    return members is not None and (partial or bool(members.all()))


# --- the rewrite


class _Rewrite(Rewriter):
    def __init__(self, program: LaneKernel, plan: _Plan) -> None:
        super().__init__()
        self._program = program
        self._plan = plan
        self._names = lane_names(program)
        self._failed = False
        self._totals: dict[Seed, VarPlace] = {}
        self._slots: dict[Seed, VarPlace] = {}
        self._order = next(o for o in ORDERS if o in plan.orders)
        ops = {w.seed: w.op for w in plan.reads.values()}
        self._ops = ops
        for seed, kind in plan.kinds.items():
            self._totals[seed] = VarPlace(self._names.fresh(_NAMES[ops[seed]]), kind)
            if seed in plan.given:
                continue
            # What a buffer holds at the end of a region is folded where it is.
            name = seed.buffer if self._in_place(seed) else self._names.fresh("partial")
            self._slots[seed] = VarPlace(name, kind)

    def _in_place(self, seed: Seed) -> bool:
        return bool(seed.buffer) and not self._plan.partial[seed]

    def run(self) -> LaneKernel | None:
        body = self._steps(self._program.body)
        slots = {p.name: p for s, p in self._slots.items() if not self._in_place(s)}
        made = replace(
            self._program,
            body=body,
            buffers=(
                *self._program.buffers,
                *(LaneBuffer(n, _scalar(p)) for n, p in slots.items()),
            ),
            variables=(
                *self._program.variables,
                *(BlockVariable(p.name, _scalar(p)) for p in self._totals.values()),
            ),
        )
        made = without_unused(made)
        return made if _is_tile(made) and not self._failed else None

    # --- steps

    def _steps(self, body: tuple[LaneStmt, ...]) -> tuple[LaneStmt, ...]:
        return tuple(made for s in body for made in self._step(s))

    def _step(self, s: LaneStmt) -> tuple[LaneStmt, ...]:
        match s:
            case Region():
                return self._region(s)
            case BlockAssign(_, value):
                return (replace(s, value=self.expr(value)),)
            case Branch(cond, then, other):
                new = replace(s, cond=self.expr(cond), then=self._steps(then))
                return (replace(new, other=self._steps(other)),)
            case Loop(cond, body, step):
                new_loop = replace(s, cond=self.expr(cond), body=self._steps(body))
                return (replace(new_loop, step=self._steps(step)),)
            case AnyLane(_, body):
                return (replace(s, body=self._steps(body)),)
            case Reduce():
                # A vote: of integers, so any order is right; a kernel has one for all its sums.
                return (replace(s, order=self._order),)
            case Exchange() | Scan():
                return (s,)
            case _:
                assert_never(s)

    def _region(self, s: Region) -> tuple[LaneStmt, ...]:
        inside = {id(x) for x in walk_stmts(s.body)}
        mine = [seed for seed in self._slots if seed.of in inside or seed.of == id(s)]
        fills: list[Stmt] = []
        after: list[LaneStmt] = []
        for seed in mine:
            slot, op = self._slots[seed], self._ops[seed]
            if self._plan.partial[seed]:
                fills.append(Assign(slot, _identity(op, _scalar(slot))))
            total = self._totals[seed].name
            after.append(Reduce(_WORDS[op], total, slot.name, self._order, span=s.span))
        region = replace(s, body=self.body(s.body))
        before = (Region(tuple(fills)),) if fills else ()
        return (*before, *self._given(s), region, *after)

    def _given(self, s: Region) -> Iterator[LaneStmt]:
        """What one thread stores for all is worked out once for the block."""
        values = {n: self.expr(e) for n, e in fixed_locals(s.body).items()}
        agreed = block_names(self._program).names | {p.name for p in self._totals.values()}
        for x in walk_stmts(s.body):
            seed = Seed(id(x))
            if seed in self._plan.given and isinstance(x, Assign):
                whole = written_out(self.expr(x.value), values)
                if not BlockNames(agreed).agrees(whole):
                    self._failed = True
                yield BlockAssign(self._totals[seed].name, whole, span=x.span)

    def body(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Rewrite a list; a store that makes a group keeps its value in the group's buffer."""
        out: list[Stmt] = []
        for s in stmts:
            seed = Seed(id(s))
            if seed in self._slots and isinstance(s, Assign | Atomic):
                value = s.value if isinstance(s, Assign) else s.operands[0]
                out.append(Assign(self._slots[seed], self.expr(value), span=s.span))
            out += super().body((s,))
        return tuple(out)

    def expr(self, e: Expr) -> Expr:
        """Replace a read that is a whole reduction."""
        whole = self._plan.reads.get(id(e))
        if whole is None:
            return super().expr(e)
        total = self._totals[whole.seed]
        kind = _scalar(total)
        unfloored = whole.op in (FoldOp.ONE, FoldOp.SUM)
        if unfloored or whole.floor == identity(whole.op, kind):
            return Read(total, span=e.span)
        return _floored(whole, Read(total, span=e.span), kind)


def _scalar(p: VarPlace) -> Scalar:
    assert isinstance(p.type, Scalar)
    return p.type


def _identity(op: FoldOp, kind: Scalar) -> Const:
    value = identity(op, kind)
    return const(value if kind.is_float else int(value), kind)


def _floored(whole: Whole, total: Expr, kind: Scalar) -> Expr:
    floor = const(whole.floor if kind.is_float else int(whole.floor), kind)
    if kind.is_float:
        name = "fmax" if whole.op is FoldOp.MAX else "fmin"
        return Call(name + ("f" if kind.kind is Kind.F32 else ""), (total, floor), kind)
    op = BinaryOp.GT if whole.op is FoldOp.MAX else BinaryOp.LT
    return Select(Binary(op, total, floor), total, floor)


def _is_tile(program: LaneKernel) -> bool:
    """Whether lanes work together in reductions alone."""
    steps = list(walk_lanes(program.body))
    if program.arrays or any(isinstance(s, Exchange | AnyLane) for s in steps):
        return False
    return any(isinstance(s, Reduce) for s in steps)
