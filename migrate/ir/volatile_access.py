"""Volatile accesses that are more than plain ones, as operations with names.

``__volatile_load(address)`` is a value and ``__volatile_store(address, value)`` an effect. The
front end uses them only where a plain access would not do (see :mod:`migrate.frontend.volatile`):
other threads of the launch are spoken to without a barrier. They keep their order and number.
"""

from __future__ import annotations

from migrate.ir.expr import Call
from migrate.ir.simt import Effect, Stmt
from migrate.ir.walk import all_exprs, walk_stmts

VOLATILE_LOAD = "__volatile_load"
VOLATILE_STORE = "__volatile_store"


def volatile_use(body: tuple[Stmt, ...]) -> Call | Effect | None:
    """The first such access of a body, if it has one."""
    for e in all_exprs(body):
        if isinstance(e, Call) and e.name == VOLATILE_LOAD:
            return e
    for s in walk_stmts(body):
        if isinstance(s, Effect) and s.name == VOLATILE_STORE:
            return s
    return None
