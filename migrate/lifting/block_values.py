"""Which control of a kernel runs once for the whole block, and which variables it needs for that.

A branch or loop that holds a barrier or a warp operation, and on which the block agrees, becomes
control between regions. The variables in its test then have one value a block, and so have those
that these are computed from.

Under a mask (a part of the lanes alone) nobody may be left to run what stands there, so a test that
reads memory or divides is not evaluated once but by the lanes of the mask: such control runs under
a mask of its own, and so does what rests on a variable that it assigns.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from migrate.analysis.convergence import Convergence, Level
from migrate.ir.expr import Binary, BinaryOp, Const, Expr, Read, VarPlace
from migrate.ir.kernel import Kernel
from migrate.ir.simt import Assign, Atomic, Collective, Declare, For, If, Stmt, While
from migrate.ir.types import Array, Scalar, Space
from migrate.ir.walk import declared_name, sub_bodies, var_names, walk_expr
from migrate.lifting.plain_loops import orders_threads

Control = If | For | While
_DIVISIONS = frozenset({BinaryOp.DIV, BinaryOp.REM})


@dataclass(frozen=True, slots=True)
class _Definition:
    """A value of a variable, and the control around it, outermost first."""

    value: Expr | None
    around: tuple[Control, ...]
    fixed: bool
    """Whether a block variable can take it: not the result of an atomic or a warp operation."""


@dataclass(slots=True)
class BlockValues:
    """``masked``: control (by identity) that runs under a mask although the block agrees on it."""

    facts: Convergence
    variables: frozenset[str] = frozenset()
    masked: set[int] = field(default_factory=set)
    votes: set[str] = field(default_factory=set)
    """Results of barriers that vote: one value a block, whoever uses it."""
    _definitions: dict[str, list[_Definition]] = field(default_factory=dict)
    _homes: dict[str, tuple[Control, ...]] = field(default_factory=dict)
    _kinds: dict[str, Scalar | Array] = field(default_factory=dict)
    _controls: list[tuple[Control, tuple[Control, ...]]] = field(default_factory=list)

    def once(self, s: Control) -> bool:
        """Whether a branch or loop that orders threads runs once for the block."""
        return id(s) not in self.masked and self.level(s) is Level.BLOCK

    def level(self, s: Control) -> Level:
        """Over which threads the test of a branch or loop is the same."""
        return self.facts.of(s.cond) if isinstance(s, If) else self.facts.of_loop(s)

    def splits(self, s: Stmt) -> bool:
        """Whether a statement cannot lie inside one region."""
        if orders_threads((s,)):
            return True
        if isinstance(s, Declare | Assign) and _target(s) in self.variables:
            return True
        return any(self.splits(x) for body in sub_bodies(s) for x in body)


def block_values(kernel: Kernel, facts: Convergence) -> BlockValues:
    """The decision for a whole kernel."""
    found = BlockValues(facts)
    _collect(found, kernel.body, ())
    while True:
        before = len(found.masked)
        found.variables = frozenset(_needed(found))
        for s, around in found._controls:
            if found.once(s) and found.splits(s) and not _can_run_once(found, s, around):
                found.masked.add(id(s))
        if len(found.masked) == before:
            return found


def _target(s: Declare | Assign) -> str:
    if isinstance(s, Declare):
        return s.name
    return s.place.name if isinstance(s.place, VarPlace) else ""


def _collect(b: BlockValues, stmts: tuple[Stmt, ...], around: tuple[Control, ...]) -> None:
    for s in stmts:
        name = declared_name(s)
        if name is not None and not (isinstance(s, Declare) and s.space is Space.SHARED):
            b._homes[name] = around
            kind = s.place.type if isinstance(s, Atomic) else _type(s)
            if isinstance(kind, Scalar | Array):
                b._kinds[name] = kind
        match s:
            case Declare(name, _, init, Space.LOCAL):
                b._definitions.setdefault(name, []).append(_Definition(init, around, True))
            case Assign(VarPlace(name), value) if name in b._homes:
                b._definitions.setdefault(name, []).append(_Definition(value, around, True))
            case Collective(op, _, result):
                fixed = op.startswith("syncthreads")
                if fixed:
                    b.votes.add(result)
                b._definitions.setdefault(result, []).append(_Definition(None, around, fixed))
            case If() | For() | While():
                b._controls.append((s, around))
                inner = (*around, s)
                for body in sub_bodies(s):
                    outer = isinstance(s, For) and body is s.init
                    _collect(b, body, around if outer else inner)
            case _:
                pass


def _type(s: Stmt) -> object:
    return s.type if isinstance(s, Declare | Collective) else None


def _needed(b: BlockValues) -> set[str]:
    """Block variables: a closure over tests, values, and tests around values."""
    found: set[str] = set(b.votes)
    while True:
        before = len(found)
        b.variables = frozenset(found)
        for s, _ in b._controls:
            if b.once(s) and b.splits(s):
                found |= var_names(s.cond) & b._definitions.keys()
        for name in tuple(found):
            for d in b._definitions.get(name, ()):
                if d.value is not None:
                    found |= var_names(d.value) & b._definitions.keys()
        if len(found) == before:
            return found


def _can_run_once(b: BlockValues, s: Control, around: tuple[Control, ...]) -> bool:
    """Whether the test can be evaluated outside of any lane, even if no lane is there to do it."""
    if _under_mask(b, around) and not eager(s.cond):
        return False
    seen: set[str] = set()
    todo = list(var_names(s.cond) & b._definitions.keys())
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        if not isinstance(b._kinds.get(name), Scalar):
            return False
        home = len(b._homes[name])
        for d in b._definitions[name]:
            if not d.fixed or any(not b.once(c) for c in d.around[home:]):
                return False
            if d.value is not None:
                if _under_mask(b, d.around) and not eager(d.value):
                    return False
                todo += var_names(d.value) & b._definitions.keys()
    return True


def _under_mask(b: BlockValues, around: tuple[Control, ...]) -> bool:
    return any(not b.once(c) for c in around)


def eager(e: Expr) -> bool:
    """Whether a value can be computed where the kernel would not: no memory, no division."""
    return not any(_touches(x) for x in walk_expr(e))


def _touches(e: Expr) -> bool:
    match e:
        case Read(place):
            return not isinstance(place, VarPlace)
        case Binary(op, _, rhs) if op in _DIVISIONS:
            return not (isinstance(rhs, Const) and rhs.value)
        case _:
            return False
