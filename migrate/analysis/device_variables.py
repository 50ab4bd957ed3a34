"""Which device variables a kernel and the functions it calls read or write."""

from __future__ import annotations

from migrate.ir.expr import Invoke, VarPlace
from migrate.ir.kernel import Kernel, Module
from migrate.ir.simt import CallStmt, Stmt
from migrate.ir.walk import all_exprs, root, stmt_places, var_names, walk_stmts


def device_variables(kernel: Kernel, module: Module) -> frozenset[str]:
    """Names of the module's variables that the kernel mentions, in its functions as well."""
    known = {g.name for g in module.globals}
    functions = {f.symbol: f for f in module.functions}
    found: set[str] = set()
    seen: set[str] = set()
    todo = [kernel.body]
    while todo:
        body = todo.pop()
        found |= _names(body) & known
        for symbol in _called(body) - seen:
            seen.add(symbol)
            if symbol in functions:
                todo.append(functions[symbol].body)
    return frozenset(found)


def _names(body: tuple[Stmt, ...]) -> set[str]:
    found = {n for e in all_exprs(body) for n in var_names(e)}
    for s in walk_stmts(body):
        bases = [root(p) for p in stmt_places(s)]
        found |= {b.name for b in bases if isinstance(b, VarPlace)}
    return found


def _called(body: tuple[Stmt, ...]) -> set[str]:
    pure = {e.function for e in all_exprs(body) if isinstance(e, Invoke)}
    return pure | {s.function for s in walk_stmts(body) if isinstance(s, CallStmt)}
