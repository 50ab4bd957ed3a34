"""Runs a lane program to see which places read prefix sums, and of what.

The run is that of :mod:`migrate.lifting.idioms.execute`; what differs is what becomes a group. The
members of a group here have an order, their *rank*, and a place that reads the sum of the members
of rank 0 to ``r`` reads element ``r`` of the group's prefix sums. Two kinds of group are tried:

* ``by_array``: what a region has stored to a shared array, in the order of the array's elements;
* else: a value that every lane gives one of its variables, in the order of the lanes.

To a read belongs an *index*: an expression, found in the read itself, that is the rank up to which
the sum goes, or differs from it by a constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from migrate.analysis.constants import const
from migrate.ir.expr import ArrElem, Binary, Builtin, Cast, Expr, IndexVar, Place, Read, VarPlace
from migrate.ir.lanes import LaneKernel, Region
from migrate.ir.simt import Assign, Atomic, Declare, Stmt
from migrate.ir.types import BOOL, I32, U32, Scalar
from migrate.ir.walk import assigned_names, walk_expr
from migrate.lifting.idioms.evaluate import FOLDED
from migrate.lifting.idioms.execute import Active, Execution
from migrate.lifting.idioms.folds import Flags, FoldOp, Places, Rows, State, seeds, weights
from migrate.lifting.idioms.orders import SCANS, Words
from migrate.lifting.idioms.traces import Seed

THREAD: Expr = Cast(IndexVar(Builtin.THREAD, "x"), I32)
_THREADS: Expr = Cast(IndexVar(Builtin.BLOCK_DIM, "x"), I32)
_NOTHING = -1
"""The rank of a sum without members."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """What a place reads: the prefix sums of ``seed`` at an index plus a constant, the expressions
    that can be that index with their constants in ``indices``.

    ``empty``: some lane reads the sum of nothing; ``varies``: lanes read different sums; ``orders``
    are the known orders in which all of them can have been made.
    """

    seed: Seed
    indices: Mapping[Expr, int]
    empty: bool
    varies: bool
    orders: frozenset[str]


@dataclass(slots=True)
class ScanTrace:
    """What a run showed. ``reads``: by the identity of an expression. ``stores``: for a group and
    the identity of a statement that makes it, the expressions that are the rank it stores to.
    ``lengths``: how many members the groups of a seed have, None where that changes."""

    reads: dict[int, Prefix | None] = field(default_factory=dict)
    stores: dict[tuple[Seed, int], frozenset[Expr]] = field(default_factory=dict)
    lengths: dict[Seed, int | None] = field(default_factory=dict)
    kinds: dict[Seed, Scalar] = field(default_factory=dict)


def scan_trace(program: LaneKernel, lanes: int, by_array: bool) -> ScanTrace:
    """Run a program for a block of ``lanes`` threads along x. Raises :class:`Beyond`."""
    run = _ScanRun(program, lanes, by_array)
    run.steps(program.body)
    return run.trace


@dataclass(frozen=True, slots=True)
class _Group:
    """Values with ranks. ``sums`` are the weights of the prefixes, one a rank, and ``at`` sorts
    them by their first words."""

    seed: Seed
    region: int
    sums: Words
    at: Places
    words: Words


@dataclass(slots=True)
class _Written:
    """What a region did to a shared array so far; ``lost``: not all of it is known."""

    surely: Flags
    perhaps: Flags
    stores: list[tuple[Assign, Places, Flags, dict[Expr, Places]]] = field(default_factory=list)
    lost: bool = False


class _ScanRun(Execution):
    def __init__(self, program: LaneKernel, lanes: int, by_array: bool) -> None:
        super().__init__(program, lanes)
        self.trace = ScanTrace()
        self._by_array = by_array
        sizes = [rows.size for rows in self._values.values()]
        self._weights = weights(max(lanes, *sizes))
        self._groups: list[_Group] = []
        self._latest: dict[Seed, int] = {}
        self._region = 0
        self._quiet = False
        """Set while expressions are evaluated that the program does not."""
        self._written: dict[str, _Written] = {}
        self._touched: dict[str, Flags] = {}
        self._expected: dict[tuple[int, str], Words] = {}

    # --- groups

    def region_begins(self) -> None:
        """See :class:`Execution`."""
        self._region += 1
        self._written = {}

    def region_ends(self, s: Region) -> None:
        """What was stored to arrays, or is in lane buffers, becomes a group."""
        if self._by_array:
            for name, written in self._written.items():
                self._array_group(s, name, written)
            return
        for name in sorted(assigned_names(s.body) & set(self._buffers)):
            rows = self._values.get(name)
            if rows is None:
                continue
            whole = s.mask is None and bool((rows.state == State.UNKNOWN).all())
            made = self._group(Seed(id(s), name), rows.kind, np.arange(self.lanes), whole)
            if made is not None:
                self._values[name] = made

    def given(self, s: Assign | Declare, name: str, value: Rows, active: Active) -> Rows:
        """A value that all lanes give a variable, and of which nothing is known."""
        del name
        if self._by_array:
            return value
        whole = bool(active.must.all() and (value.state == State.UNKNOWN).all())
        made = self._group(Seed(id(s)), value.kind, np.arange(self.lanes), whole)
        return value if made is None else made

    def _group(self, seed: Seed, kind: Scalar, members: Places, good: bool) -> Rows | None:
        """The members, which are in order, as values of a new group."""
        self._latest.pop(seed, None)
        if not good or kind.kind not in FOLDED or not members.size:
            return None
        weight = self._weights[members]
        with np.errstate(over="ignore"):
            sums = np.cumsum(weight, axis=0, dtype=np.uint64)
        self._groups.append(_Group(seed, self._region, sums, np.argsort(sums[:, 0]), weight[:, 0]))
        self._latest[seed] = len(self._groups) - 1
        length: int | None = len(members)
        if self.trace.lengths.setdefault(seed, length) != length:
            self.trace.lengths[seed] = None
        self.trace.kinds[seed] = kind
        return seeds(kind, len(self._groups) - 1, weight)

    # --- stores to shared arrays

    def _of(self, name: str) -> _Written:
        size = self._values[name].size
        if name not in self._written:
            self._written[name] = _Written(np.zeros(size, np.bool_), np.zeros(size, np.bool_))
        return self._written[name]

    def stored(self, s: Assign | Atomic, at: Places, value: Rows, active: Active) -> Rows:
        """See :class:`Execution`."""
        name = _array_of(s.place)
        written = self._of(name)
        written.surely[at[active.must]] = True
        written.perhaps[at[active.may & ~active.must]] = True
        if isinstance(s, Atomic):
            written.lost = True
        elif self._by_array:
            tried = self._tried(_subscripts(s.place), active.may)
            written.stores.append((s, at, active.may, tried))
        return value

    def lose(self, body: tuple[Stmt, ...], active: Active) -> None:
        """See :class:`Execution`."""
        super().lose(body, active)
        for name in assigned_names(body):
            if name in self._arrays:
                self._of(name).lost = True
                self._touched[name] = np.ones(self._values[name].size, np.bool_)

    def _array_group(self, s: Region, name: str, written: _Written) -> None:
        rows = self._values[name]
        before = self._touched.setdefault(name, np.zeros(rows.size, np.bool_))
        # An element that was not touched before is what was stored, or nothing that may be read.
        mine = written.surely | (written.perhaps & ~before)
        self._touched[name] = before | written.surely | written.perhaps
        members = np.flatnonzero(mine & (rows.state == State.UNKNOWN))
        seed = Seed(id(s), name)
        made = self._group(seed, rows.kind, members, not written.lost)
        if made is None:
            return
        rows.put(members, made)
        rank = np.full(rows.size, _NOTHING, np.int64)
        rank[members] = np.arange(len(members))
        for stmt, at, may, tried in written.stores:
            fits = {e for e, found in tried.items() if (found == rank[at])[may].all()}
            known = self.trace.stores.get((seed, id(stmt)), frozenset(fits))
            self.trace.stores[seed, id(stmt)] = known & frozenset(fits)

    # --- reads

    def was_read(self, e: Read, value: Rows, may: Flags) -> None:
        """See :class:`Execution`."""
        self._look(e, _subscripts(e.place), value, may)

    def computed(self, e: Binary, value: Rows, may: Flags) -> None:
        """See :class:`Execution`."""
        if (value.state == State.FOLD).any():
            self._look(e, (), value, may)

    def _look(self, e: Expr, inside: Iterable[Expr], value: Rows, may: Flags) -> None:
        if self._quiet or not may.any() or e.type == BOOL:
            return
        reads = self.trace.reads
        if id(e) not in reads:
            reads[id(e)] = self._prefix(inside, value, may)
        elif (before := reads[id(e)]) is not None:
            found = self._prefix(inside, value, may)
            reads[id(e)] = None if found is None else merged(before, found)

    def _prefix(self, inside: Iterable[Expr], value: Rows, may: Flags) -> Prefix | None:
        at = np.flatnonzero(may)
        folds = at[value.state[at] == State.FOLD]
        if not folds.size:
            return None
        number = int(value.group[folds[0]])
        group = self._groups[number]
        current = self._latest.get(group.seed) == number and group.region < self._region
        if not current or not self._sums(value, at, folds, number):
            return None
        rank = np.full(self.lanes, _NOTHING, np.int64)
        near = np.searchsorted(group.sums[:, 0], value.weight[folds, 0], sorter=group.at)
        rank[folds] = group.at[np.minimum(near, len(group.at) - 1)]
        if not (group.sums[rank[folds]] == value.weight[folds]).all():
            return None
        ranks = rank[at]
        varies = bool((ranks != ranks[0]).any())
        wanted = [*inside, THREAD, _THREADS]
        indices: dict[Expr, int] = {}
        for expr, tried in self._tried(wanted, may).items():
            off = ranks - tried[at]
            if (off == off[0]).all():
                indices[expr] = int(off[0])
        if not varies:
            indices[const(int(ranks[0]), I32)] = 0
        orders = frozenset(
            name
            for name in SCANS
            if (self._words(number, name)[rank[folds]] == value.order[folds]).all()
        )
        return Prefix(group.seed, indices, bool((ranks == _NOTHING).any()), varies, orders)

    def _sums(self, value: Rows, at: Places, folds: Places, number: int) -> bool:
        """Whether all lanes have a sum over one group, or 0."""
        rest = at[value.state[at] != State.FOLD]
        zero = (value.state[rest] == State.KNOWN) & (value.number[rest] == 0)
        sums = (value.op[folds] == FoldOp.SUM) | (value.op[folds] == FoldOp.ONE)
        return bool(zero.all() and sums.all() and (value.group[folds] == number).all())

    def _words(self, number: int, order: str) -> Words:
        key = (number, order)
        if key not in self._expected:
            self._expected[key] = SCANS[order](self._groups[number].words)
        return self._expected[key]

    def _tried(self, wanted: Iterable[Expr], may: Flags) -> dict[Expr, Places]:
        """The whole numbers that expressions are in all lanes of ``may``."""
        found: dict[Expr, Places] = {}
        for e in wanted:
            if e not in found:
                self._quiet = True
                rows = self._evaluate(e, may)
                self._quiet = False
                if (rows.state[may] == State.KNOWN).all():
                    found[e] = rows.number.astype(np.int64)
        return found


def merged(a: Prefix, b: Prefix) -> Prefix | None:
    """What two readings have in common; None when they are not one."""
    indices = {e: off for e, off in a.indices.items() if b.indices.get(e) == off}
    if a.seed != b.seed or not indices:
        return None
    return Prefix(a.seed, indices, a.empty or b.empty, a.varies or b.varies, a.orders & b.orders)


def _array_of(p: Place) -> str:
    match p:
        case VarPlace(name) | ArrElem(VarPlace(name)):
            return name
        case _:
            return ""


def _subscripts(p: Place) -> tuple[Expr, ...]:
    """The parts of an index that read variables alone: what can be a rank."""
    match p:
        case ArrElem(VarPlace(), index):
            return tuple(_parts(index))
        case _:
            return ()


def _parts(e: Expr) -> Iterator[Expr]:
    for x in walk_expr(e):
        reads = (y for y in walk_expr(x) if isinstance(y, Read))
        if x.type in (I32, U32) and all(isinstance(y.place, VarPlace) for y in reads):
            yield x
