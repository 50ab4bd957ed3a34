"""Prefix sums over a block: what threads add up step by step becomes one operation on a tile.

    region { line.[t] = mine }                       region { sums.[t] = mine }
    once step = 1                                    scan sums
    while (step < 128) {                             region { out[i] = sums.[t] }
      region { other = (t >= step) ? ... }
      region { line.[t] = (line.[t] + other) } ... }
    region { out[i] = line.[t] }

As for reductions (:mod:`migrate.lifting.idioms.reduce`) no shape of code is looked for. The program
is run for a size of block (:mod:`migrate.lifting.idioms.scan_run`); a place where every lane that
gets there reads the sum of the members of rank 0 to ``r``, each of them once and nothing else,
reads element ``r`` of the prefix sums, and one that reads nothing reads 0. Those places read a
tile instead: each store of a member also goes to the tile, a :class:`Scan` makes the sums, and what
nobody reads any more is removed. The rewrite is kept when no other shared array and no operation
among lanes is left.

Legal because integers wrap, so that their sums are the same in any order, and an exclusive sum is
the inclusive one before it, or the own value taken away again. Sums of floats are lifted only when
their order is known (:data:`migrate.lifting.idioms.orders.SCANS`), and never where one was taken
away: that rounds. The proof is made for each size of block by itself, and the sizes are tested
where the kernel is launched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from migrate.analysis.constants import const
from migrate.ir.expr import ArrElem, Binary, BinaryOp, Cast, Const, Expr, Read, Select, VarPlace
from migrate.ir.lanes import (
    AnyLane,
    BlockArray,
    Exchange,
    LaneKernel,
    LaneStmt,
    Region,
    Scan,
    walk_lanes,
)
from migrate.ir.simt import Assign, Declare, Stmt
from migrate.ir.types import I32, Scalar
from migrate.ir.walk import Rewriter, all_exprs, walk_expr, walk_stmts
from migrate.lifting.fold import fold_expr
from migrate.lifting.idioms.evaluate import FOLDED
from migrate.lifting.idioms.execute import Beyond
from migrate.lifting.idioms.orders import SCANS
from migrate.lifting.idioms.reduce import homes
from migrate.lifting.idioms.scan_run import THREAD, Prefix, ScanTrace, merged, scan_trace
from migrate.lifting.idioms.sizes import POWERS, WHOLE_WARPS, is_row, one_of, tried_sizes
from migrate.lifting.idioms.tidy import mapped, tidied
from migrate.lifting.idioms.traces import Seed
from migrate.lifting.naming import lane_names

_LEAST = 32
"""The smallest block that is looked at: TileLang's prefix sums take a whole warp."""


_OTHERS = [96, 160, 192, 224, 384, 768]
"""Sizes that are no powers of two that are looked at where tiles do not grow with the block."""


def with_scans(program: LaneKernel) -> LaneKernel | None:
    """The program with its prefix sums as such, or None when none was proven."""
    if not is_row(program) or not _adds(program):
        return None
    for by_array in (True, False):
        for lanes in tried_sizes(program):
            plan = _plan(program, lanes, by_array)
            if plan is None or _Rewrite(program, plan).run() is None:
                continue
            sizes, plan = _proven(program, plan, lanes)
            made = _Rewrite(program, plan).run()
            if made is not None and _general(program, sizes, by_array):
                return replace(made, requires=(*made.requires, *one_of(sizes)))
            break
    return None


def _adds(program: LaneKernel) -> bool:
    """Whether a value of another lane is ever added to one; saves the runs where none is."""
    shared = {a.name for a in program.arrays}
    shared |= {s.result for s in walk_lanes(program.body) if isinstance(s, Exchange)}
    for s in walk_lanes(program.body):
        if isinstance(s, Region):
            for e in all_exprs(s.body):
                kind = e.type
                if isinstance(e, Binary) and e.op is BinaryOp.ADD and isinstance(kind, Scalar):
                    others = any(_names(x, shared) for x in walk_expr(e))
                    if others and kind.kind in FOLDED:
                        return True
    return False


def _names(e: Expr, names: set[str]) -> bool:
    match e:
        case Read(VarPlace(name) | ArrElem(VarPlace(name))):
            return name in names
        case _:
            return False


# --- what to replace


@dataclass(frozen=True, slots=True)
class _Plan:
    """Reads by identity with the prefix sums that they are, the statements that make a group with
    the expressions for the ranks they store to, and what the lengths of the groups can be."""

    by_array: bool
    reads: dict[int, Prefix]
    stores: dict[tuple[Seed, int], frozenset[Expr]]
    lengths: dict[Seed, frozenset[int]]
    kinds: dict[Seed, Scalar]

    def orders(self, seed: Seed) -> frozenset[str]:
        """The orders in which the sums of a group can have been made."""
        found = frozenset(SCANS)
        for read in self.reads.values():
            if read.seed == seed and self.kinds[seed].is_float:
                found &= read.orders
        return found


def _plan(program: LaneKernel, lanes: int, by_array: bool) -> _Plan | None:
    try:
        trace = scan_trace(program, lanes, by_array)
    except Beyond:
        return None
    places = homes(program)
    reads = {at: p for at, p in trace.reads.items() if p is not None and _told(p, trace.kinds)}
    seeds = {p.seed for p in reads.values() if p.varies}
    stores = {key: found for key, found in trace.stores.items() if key[0] in seeds}
    homeless = {s for s in seeds if places.get(s.of) != 1}
    homeless |= {seed for seed, at in stores if places.get(at) != 1}
    seeds -= homeless
    plan = _Plan(
        by_array,
        {at: p for at, p in reads.items() if p.seed in seeds},
        {key: found for key, found in stores.items() if key[0] in seeds},
        {seed: _length(trace, seed, lanes) for seed in seeds},
        {seed: trace.kinds[seed] for seed in seeds},
    )
    return plan if seeds and _whole(plan) else None


def _told(p: Prefix, kinds: Mapping[Seed, Scalar]) -> bool:
    """Whether an index is known, and of floats an order."""
    return bool(p.indices and (p.orders or not kinds[p.seed].is_float))


def _length(trace: ScanTrace, seed: Seed, lanes: int) -> frozenset[int]:
    """A number of elements, 0 for one a lane."""
    found = trace.lengths.get(seed)
    if found is None:
        return frozenset()
    return frozenset({found, 0}) if found == lanes else frozenset({found})


def _whole(plan: _Plan) -> bool:
    """Whether a plan says of everything what it becomes."""
    return (
        all(plan.stores.values())
        and all(plan.lengths.values())
        and all(plan.orders(seed) for seed in plan.lengths)
    )


def _proven(program: LaneKernel, plan: _Plan, first: int) -> tuple[frozenset[int], _Plan]:
    """The sizes for which a plan holds, and what is left of it for all of them."""
    good = {first}
    scales = all(0 in found for found in plan.lengths.values())
    others = [n for n in WHOLE_WARPS if n not in POWERS] if scales else _OTHERS
    for lanes in (*(n for n in POWERS if n >= _LEAST), *others):
        if lanes == first:
            continue
        found = _joined(program, plan, lanes)
        if found is not None:
            good.add(lanes)
            plan = found
        elif lanes in others:
            break
    return frozenset(good), plan


def _joined(program: LaneKernel, plan: _Plan, lanes: int) -> _Plan | None:
    """A plan as far as it holds for another size too."""
    try:
        trace = scan_trace(program, lanes, plan.by_array)
    except Beyond:
        return None
    reads: dict[int, Prefix] = {}
    for at, wanted in plan.reads.items():
        found = trace.reads.get(at, wanted)
        both = None if found is None else merged(found, wanted)
        if both is not None and _told(both, plan.kinds):
            reads[at] = both
    stores = {key: found & trace.stores.get(key, found) for key, found in plan.stores.items()}
    lengths = {s: found & _length(trace, s, lanes) for s, found in plan.lengths.items()}
    alike = all(trace.kinds.get(s) == kind for s, kind in plan.kinds.items())
    made = replace(plan, reads=reads, stores=stores, lengths=lengths)
    if not alike or not _whole(made):
        return None
    # A read that is lost may have been one of a step that is removed.
    lost = len(reads) < len(plan.reads)
    return None if lost and _Rewrite(program, made).run() is None else made


def _general(program: LaneKernel, sizes: frozenset[int], by_array: bool) -> bool:
    """Whether a launch can be expected to have one of the sizes: all powers of two from a warp on,
    or a shared array is made for the largest, or nothing larger could be launched, since its
    threads would reach outside of an array. A launch of another size fails with a message."""
    if frozenset(n for n in POWERS if n >= _LEAST) <= sizes:
        return True
    if max(sizes) > _LEAST and any(
        a.length in (max(sizes), 2 * max(sizes)) for a in program.arrays
    ):
        return True
    for lanes in (n for n in POWERS if n > max(sizes)):
        try:
            scan_trace(program, lanes, by_array)
        except Beyond:
            continue
        return False
    return max(sizes) > _LEAST


# --- the rewrite


class _Rewrite(Rewriter):
    def __init__(self, program: LaneKernel, plan: _Plan) -> None:
        super().__init__()
        self._program = program
        self._plan = plan
        self._names = lane_names(program)
        self._seed_of = {at: seed for seed, at in plan.stores}
        self._tiles: dict[Seed, BlockArray] = {}
        for seed, kind in plan.kinds.items():
            length = max(plan.lengths[seed])
            name = self._names.fresh("sums")
            self._tiles[seed] = BlockArray(name, kind, length, per_lane=not length)

    def run(self) -> LaneKernel | None:
        body = mapped(self._program.body, self._list)
        arrays = (*self._program.arrays, *self._tiles.values())
        made = tidied(replace(self._program, body=body, arrays=arrays))
        return made if self._is_tile(made) else None

    def _is_tile(self, program: LaneKernel) -> bool:
        """Whether lanes work together in prefix sums alone."""
        tiles = {t.name for t in self._tiles.values()}
        steps = list(walk_lanes(program.body))
        if any(isinstance(s, Exchange | AnyLane) for s in steps):
            return False
        if any(isinstance(s, Region) and s.mask is not None for s in steps):
            return False
        return bool(program.arrays) and all(a.name in tiles for a in program.arrays)

    def _list(self, body: tuple[LaneStmt, ...]) -> tuple[LaneStmt, ...]:
        out: list[LaneStmt] = []
        for s in body:
            out += self._region(s) if isinstance(s, Region) else (s,)
        return tuple(out)

    def _region(self, s: Region) -> Iterator[LaneStmt]:
        inside = {id(x) for x in walk_stmts(s.body)}
        mine = [t for t in self._tiles if t.of in inside or t.of == id(s)]
        yield replace(s, body=self.body(s.body))
        for seed in mine:
            if seed.of == id(s) and not self._plan.by_array:
                value = Read(VarPlace(seed.buffer, self._tiles[seed].element))
                yield Region((Assign(self._element(seed, THREAD), value),), span=s.span)
            orders = self._plan.orders(seed)
            order = next(o for o in SCANS if o in orders)
            yield Scan(self._tiles[seed].name, order, span=s.span)

    def body(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Rewrite a list; what makes a group goes to its tile too."""
        out: list[Stmt] = []
        for s in stmts:
            array = self._seed_of.get(id(s))
            if array is not None and isinstance(s, Assign):
                index = min(self._plan.stores[array, id(s)], key=_size)
                out.append(Assign(self._element(array, index), self.expr(s.value), span=s.span))
            out += super().body((s,))
            seed = Seed(id(s))
            if seed in self._tiles:
                out.append(Assign(self._element(seed, THREAD), _value_of(s), span=s.span))
        return tuple(out)

    def expr(self, e: Expr) -> Expr:
        """Replace what reads a prefix sum."""
        found = self._plan.reads.get(id(e))
        return super().expr(e) if found is None else self._sum(found)

    def _sum(self, found: Prefix) -> Expr:
        index, off = min(found.indices.items(), key=lambda x: (abs(x[1]), _size(x[0])))
        kind = self._tiles[found.seed].element
        nothing = const(0.0 if kind.is_float else 0, kind)
        if isinstance(index, Const) and int(index.value) + off < 0:
            return nothing
        if off and index.type != I32:
            index = Cast(index, I32)
        at = _plus(index, off)
        value = Read(self._element(found.seed, at))
        if not found.empty:
            return value
        assert isinstance(index.type, Scalar)
        some = Binary(BinaryOp.GT, index, const(-off - 1, index.type))
        return Select(some, value, nothing)

    def _element(self, seed: Seed, index: Expr) -> ArrElem:
        tile = self._tiles[seed]
        return ArrElem(VarPlace(tile.name, tile.type), index)


def _value_of(s: Stmt) -> Expr:
    match s:
        case Declare(name, kind):
            return Read(VarPlace(name, kind))
        case Assign(place):
            return Read(place)
        case _:
            raise TypeError(f"{type(s).__name__} gives a variable no value")


def _size(e: Expr) -> tuple[int, str]:
    """The simplest expression first, and the same one in every run."""
    return sum(1 for _ in walk_expr(e)), repr(e)


def _plus(e: Expr, off: int) -> Expr:
    if not off:
        return e
    op = BinaryOp.ADD if off > 0 else BinaryOp.SUB
    whole = Binary(op, e, const(abs(off), I32))
    return fold_expr(whole) or whole
