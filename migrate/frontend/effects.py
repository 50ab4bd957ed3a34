"""What statements write and what expressions read, for order of evaluation and for purity."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.ir.expr import AddressOf, Expr, Invoke, PtrElem, Read, VarPlace
from migrate.ir.simt import (
    Asm,
    Assign,
    Atomic,
    Barrier,
    CallStmt,
    Collective,
    Effect,
    Fence,
    Stmt,
)
from migrate.ir.walk import (
    all_exprs,
    assigned_names,
    root,
    stmt_places,
    walk_expr,
    walk_stmts,
)


@dataclass(frozen=True, slots=True)
class Reads:
    """Variables and memory that an expression reads."""

    names: frozenset[str]
    memory: bool


@dataclass(frozen=True, slots=True)
class Writes:
    """Variables and memory that statements write."""

    names: frozenset[str]
    memory: bool


def reads_of(e: Expr) -> Reads:
    """What the value of ``e`` depends on. Taking an address reads nothing but the indices."""
    names: set[str] = set()
    memory = False
    for sub in walk_expr(e):
        if isinstance(sub, Read):
            base = root(sub.place)
            if isinstance(base, VarPlace):
                names.add(base.name)
            else:
                memory = True
        elif isinstance(sub, Invoke):
            memory = True
    return Reads(frozenset(names), memory)


def writes_of(stmts: tuple[Stmt, ...]) -> Writes:
    """What a statement list writes; calls, barriers and atomics count as writing memory."""
    memory = False
    for s in walk_stmts(stmts):
        if isinstance(s, CallStmt | Atomic | Barrier | Fence | Collective | Asm) or (
            isinstance(s, Assign) and isinstance(root(s.place), PtrElem)
        ):
            memory = True
    return Writes(assigned_names(stmts), memory)


def address_taken(e: Expr) -> frozenset[str]:
    """Variables whose address occurs in ``e``."""
    found: set[str] = set()
    for sub in walk_expr(e):
        if isinstance(sub, AddressOf):
            base = root(sub.place)
            if isinstance(base, VarPlace):
                found.add(base.name)
    return frozenset(found)


def disturbed(e: Expr, writes: Writes, shared_names: frozenset[str]) -> bool:
    """Whether running the writes first could change the value of ``e``.

    ``shared_names`` are variables that memory writes reach: those whose address was taken, shared
    arrays and module globals.
    """
    reads = reads_of(e)
    if reads.names & writes.names:
        return True
    return writes.memory and (reads.memory or bool(reads.names & shared_names))


def is_pure(body: tuple[Stmt, ...], own: frozenset[str]) -> bool:
    """Whether a function body writes nothing but the function's own variables.

    ``own`` are its parameters and locals. Writing through any pointer counts as an effect, even
    when it points to a local.
    """
    for s in walk_stmts(body):
        if isinstance(s, CallStmt | Atomic | Barrier | Fence | Collective | Asm | Effect):
            return False
        for place in stmt_places(s):
            base = root(place)
            if not isinstance(base, VarPlace) or base.name not in own:
                return False
    return True


def globals_used(body: tuple[Stmt, ...], names: frozenset[str]) -> frozenset[str]:
    """Which of ``names`` a body reads, writes or takes the address of."""
    found: set[str] = set(assigned_names(body) & names)
    for e in all_exprs(body):
        if isinstance(e, Read | AddressOf):
            base = root(e.place)
            if isinstance(base, VarPlace) and base.name in names:
                found.add(base.name)
    return frozenset(found)
