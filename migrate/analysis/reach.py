"""Which device functions a body reaches, and whether it asks what time it is."""

from __future__ import annotations

from migrate.ir.expr import Call, Invoke
from migrate.ir.kernel import Function, Kernel, Module
from migrate.ir.simt import CallStmt, Stmt
from migrate.ir.walk import all_exprs, walk_stmts

TIMED = frozenset({"clock", "clock64", "__nanosleep", "globaltimer"})
"""Intrinsics whose result or effect depends on when they run."""


def called_functions(body: tuple[Stmt, ...]) -> frozenset[str]:
    """Symbols of the device functions that a body calls."""
    pure = {e.function for e in all_exprs(body) if isinstance(e, Invoke)}
    return frozenset(pure | {s.function for s in walk_stmts(body) if isinstance(s, CallStmt)})


def reached_functions(body: tuple[Stmt, ...], module: Module) -> tuple[Function, ...]:
    """The device functions that a body reaches, in the module's order."""
    known = {f.symbol: f for f in module.functions}
    found: set[str] = set()
    todo = list(called_functions(body))
    while todo:
        symbol = todo.pop()
        if symbol in found or symbol not in known:
            continue
        found.add(symbol)
        todo += called_functions(known[symbol].body)
    return tuple(f for f in module.functions if f.symbol in found)


def reads_clock(kernel: Kernel, module: Module) -> bool:
    """Whether a kernel can see the time: what it leaves may then differ from run to run."""
    bodies = (kernel.body, *(f.body for f in reached_functions(kernel.body, module)))
    return any(isinstance(e, Call) and e.name in TIMED for b in bodies for e in all_exprs(b))
