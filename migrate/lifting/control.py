"""``switch`` becomes ``if``, ``do`` becomes ``while``.

A switch without fallthrough is a chain of comparisons of one value, which is evaluated once. A
``break`` inside an arm leaves the switch: when it is the arm's last statement it is dropped, in the
middle of an arm the rest of that arm is guarded, as for returns (:mod:`migrate.lifting.returns`).

``do body while (c)`` runs the body once more than ``while (c) body``::

    do { i = (i + 1:i32) } while (i < n)

    while true { i = (i + 1:i32) if (! (i < n)) { break } }

With a ``continue`` in the body, which goes to the test, a flag keeps the order::

    var again: bool = false
    while true { if again { if (! c) { break } } again = true body }

Legal because both forms evaluate the same expressions in the same order.
"""

from __future__ import annotations

from dataclasses import replace

from migrate.core.diagnostics import Sink
from migrate.ir.expr import Binary, BinaryOp, Const, Expr, Read, VarPlace
from migrate.ir.kernel import Function, Kernel, Module
from migrate.ir.simt import (
    Assign,
    Break,
    Case,
    Continue,
    Declare,
    DoWhile,
    For,
    If,
    Stmt,
    Switch,
    While,
)
from migrate.ir.types import BOOL, Scalar
from migrate.ir.walk import Rewriter, sub_bodies
from migrate.lifting.naming import Names, names_of
from migrate.lifting.returns import Exit, guard_exits, negate

TRUE = Const(True, BOOL)
FALSE = Const(False, BOOL)


def structure_control(kernel: Kernel, module: Module, _: Sink) -> Kernel:
    """The pass; see the module."""
    names = names_of(kernel, module)
    body = structured_body(kernel.body, names)
    return kernel if body is kernel.body else replace(kernel, body=body)


def structure_function(function: Function, module: Module) -> Function:
    """The same for a device function, before it is inlined."""
    body = structured_body(function.body, names_of(function, module))
    return function if body is function.body else replace(function, body=body)


def structured_body(body: tuple[Stmt, ...], names: Names) -> tuple[Stmt, ...]:
    """A statement list without ``switch`` and ``do``."""

    def rule(s: Stmt) -> tuple[Stmt, ...] | None:
        match s:
            case DoWhile():
                return _do_while(s, names)
            case Switch():
                return _switch(s, names)
            case _:
                return None

    return Rewriter(stmt=rule).body(body)


def leaves_loop(stmts: tuple[Stmt, ...], kind: type[Break] | type[Continue]) -> bool:
    """Whether a ``break`` or ``continue`` in a loop's body belongs to that loop."""
    for s in stmts:
        if isinstance(s, kind):
            return True
        if isinstance(s, For | While | DoWhile):
            continue
        if isinstance(s, Switch) and kind is Break:
            continue
        if any(leaves_loop(b, kind) for b in sub_bodies(s)):
            return True
    return False


def _do_while(s: DoWhile, names: Names) -> tuple[Stmt, ...]:
    test = If(negate(s.cond), (Break(),), span=s.span)
    if not leaves_loop(s.body, Continue):
        return (While(TRUE, (*s.body, test), span=s.span, note=s.note),)
    again = names.fresh("again")
    place = VarPlace(again, BOOL)
    body = (If(Read(place), (test,)), Assign(place, TRUE), *s.body)
    return (
        Declare(again, BOOL, FALSE, span=s.span, note=s.note),
        While(TRUE, body, span=s.span),
    )


def _switch(s: Switch, names: Names) -> tuple[Stmt, ...]:
    value, before = s.value, []
    kind = value.type
    if not isinstance(kind, Scalar):
        raise TypeError(f"switch on a {kind}")
    if not (isinstance(value, Const) or (isinstance(value, Read) and _is_var(value))):
        name = names.fresh("selector")
        before.append(Declare(name, kind, value, span=s.span, note=s.note))
        value = Read(VarPlace(name, kind))
    arms = [replace(c, body=_without_break(c.body, names)) for c in s.cases]
    default: tuple[Stmt, ...] = ()
    for c in arms:
        if not c.values:
            default = c.body
    chain = default
    for c in reversed(arms):
        if c.values:
            chain = (If(_any_of(value, kind, c), c.body, chain, span=s.span),)
    if not before and chain and isinstance(chain[0], If):
        chain = (replace(chain[0], note=s.note), *chain[1:])
    return (*before, *chain)


def _is_var(value: Read) -> bool:
    return isinstance(value.place, VarPlace)


def _any_of(value: Expr, kind: Scalar, case: Case) -> Expr:
    tests: list[Expr] = [Binary(BinaryOp.EQ, value, Const(v, kind)) for v in case.values]
    out = tests[0]
    for t in tests[1:]:
        out = Binary(BinaryOp.LOR, out, t)
    return out


def _without_break(body: tuple[Stmt, ...], names: Names) -> tuple[Stmt, ...]:
    if not leaves_loop(body, Break):
        return body
    return guard_exits(body, Exit(Break), names.fresh("left_switch"))
