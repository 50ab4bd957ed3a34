"""What each block barrier of a kernel orders: accesses before it and after it that can meet.

    tile[t] = x[i]                       barrier: tile[t] written before, tile[t + 1] read after
    barrier block
    y[i] = tile[(t + 1)]

A pair counts when both name one array or buffer, one of them writes, no other barrier of the block
lies on the way between them, and their indices can name one element in two threads. Indices are
:mod:`migrate.analysis.affine` polynomials: equal ones of ``threadIdx.x`` and of values that never
change are a thread's own element; all else that is not proven apart counts as a meeting. A barrier
without pairs orders nothing through memory that the kernel names (a race-free kernel would compute
the same without it), and a barrier with pairs may still be more than is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from typing_extensions import assert_never

from migrate.analysis.access import Access, can_meet, direct_accesses
from migrate.analysis.affine import Polynomial, definitions
from migrate.core.span import Span
from migrate.ir.expr import Expr
from migrate.ir.kernel import Kernel
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
from migrate.ir.walk import assigned_names

_LANE = "threadIdx.x"
_FIXED = frozenset(f"{b}.{axis}" for b in ("blockIdx", "blockDim", "gridDim") for axis in "xyz")


@dataclass(frozen=True, slots=True)
class Ordered:
    """Two accesses that a barrier keeps in order."""

    before: Access
    after: Access


@dataclass(frozen=True, slots=True)
class BarrierUse:
    """A block barrier and what it orders, one pair of accesses a buffer and direction."""

    span: Span
    orders: tuple[Ordered, ...]


def barrier_uses(kernel: Kernel) -> tuple[BarrierUse, ...]:
    """The block barriers of a kernel in normal form, in the order of its text."""
    walk = _Walk(definitions(kernel))
    walk.body(kernel.body, _State(frozenset(), frozenset()))
    fixed = _FIXED | ({p.name for p in kernel.params} - assigned_names(kernel.body))
    return tuple(
        BarrierUse(b.span, _pairs(walk.before[id(b)], walk.after[id(b)], fixed))
        for b in walk.barriers
    )


def _pairs(
    before: Iterable[Access], after: Iterable[Access], fixed: frozenset[str]
) -> tuple[Ordered, ...]:
    found: dict[tuple[str, str, str], Ordered] = {}
    for a in sorted(before, key=_by_place):
        for b in sorted(after, key=_by_place):
            written = {a.kind, b.kind} - {"read"}
            if a.buffer == b.buffer and written and _meet(a.index, b.index, fixed):
                found.setdefault((a.buffer, a.kind, b.kind), Ordered(a, b))
    return tuple(found.values())


def _by_place(a: Access) -> tuple[int, int]:
    return a.span.line, a.span.start


def _meet(a: Polynomial, b: Polynomial, fixed: frozenset[str]) -> bool:
    """Whether two *different* threads can name one element."""
    return can_meet(a, b) or (a == b and not _own(a, fixed))


def _own(index: Polynomial, fixed: frozenset[str]) -> bool:
    """Whether the index tells the threads of a row apart and is the same at any time.

    With ``threadIdx.y`` or ``.z`` in it that depends on the shape of the block, and without them
    on there being one row, which is what a kernel that never mentions them is written for.
    """
    return index.coefficient((_LANE,)) != 0 and all(
        m == (_LANE,) or fixed.issuperset(m) for m, _ in index.terms
    )


@dataclass(frozen=True, slots=True)
class _State:
    """Accesses since the last barrier, and the barriers that were the last on some path."""

    since: frozenset[Access]
    last: frozenset[int]

    def joined(self, other: _State) -> _State:
        return _State(self.since | other.since, self.last | other.last)


@dataclass(slots=True)
class _Walk:
    known: dict[str, Expr]
    barriers: list[Barrier] = field(default_factory=list)
    before: dict[int, set[Access]] = field(default_factory=dict)
    after: dict[int, set[Access]] = field(default_factory=dict)
    left: list[_State] = field(default_factory=list)
    """States in which a round of the loop around was left early."""

    def body(self, stmts: tuple[Stmt, ...], state: _State) -> _State:
        for s in stmts:
            state = self.stmt(s, state)
        return state

    def stmt(self, s: Stmt, state: _State) -> _State:
        state = self.accesses(s, state)
        match s:
            case Barrier("block"):
                return self.barrier(s, state)
            case If():
                return self.body(s.then, state).joined(self.body(s.other, state))
            case Switch():
                ends = [self.body(c.body, state) for c in s.cases]
                for end in ends:
                    state = state.joined(end)
                return state
            case For():
                return self.loop((*s.body, *s.step), self.body(s.init, state))
            case While() | DoWhile():
                return self.loop(s.body, state)
            case Break() | Continue():
                self.left.append(state)
                return state
            case (
                Declare() | Assign() | Return() | CallStmt() | Atomic()
                | Barrier() | Fence() | Collective() | Effect() | Asm()
            ):  # fmt: skip
                return state
            case _:
                assert_never(s)

    def loop(self, body: tuple[Stmt, ...], state: _State) -> _State:
        """A fixed point: states only grow, and there are finitely many accesses."""
        while True:
            outer, self.left = self.left, []
            again = state.joined(self.body(body, state))
            for left in self.left:
                again = again.joined(left)
            self.left = outer
            if again == state:
                return state
            state = again

    def accesses(self, s: Stmt, state: _State) -> _State:
        found = frozenset(direct_accesses(s, self.known))
        for barrier in state.last:
            self.after[barrier] |= found
        return _State(state.since | found, state.last)

    def barrier(self, s: Barrier, state: _State) -> _State:
        if id(s) not in self.before:
            self.barriers.append(s)
            self.before[id(s)], self.after[id(s)] = set(), set()
        self.before[id(s)] |= state.since
        return _State(frozenset(), frozenset({id(s)}))
