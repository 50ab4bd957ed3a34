"""Loops that hold barriers or warp operations are left at their test alone.

    while (i < n) {                        var left: bool = false
      if (s[0] > m) { break }              while ((! left) && (i < n)) {
      barrier block                          if (s[0] > m) { left = true }
      i = (i + 1)                            if (! left) { barrier block  i = (i + 1) }
    }                                      }

``continue`` becomes a guard round the rest of the body; the step of a ``for`` runs behind it, and
is left out when the loop was left. Other loops stay as they are.

Legal because the guarded statements, the step and the test run exactly when they ran before.
"""

from __future__ import annotations

from dataclasses import replace

from migrate.ir.expr import Binary, BinaryOp, Const, Expr, Read, Unary, UnaryOp, VarPlace
from migrate.ir.kernel import Kernel, Module
from migrate.ir.simt import (
    Assign,
    Barrier,
    Break,
    Collective,
    Continue,
    Declare,
    For,
    If,
    Stmt,
    While,
)
from migrate.ir.types import BOOL, Scalar
from migrate.ir.walk import Rewriter, assigned_names, rename, walk_stmts
from migrate.lifting.naming import names_of
from migrate.lifting.returns import Exit, guard_exits


def orders_threads(stmts: tuple[Stmt, ...]) -> bool:
    """Whether a barrier or a warp operation lies in a statement list."""
    return any(isinstance(s, Barrier | Collective) for s in walk_stmts(stmts))


def own_parameters(kernel: Kernel, module: Module) -> Kernel:
    """Scalar parameters that the kernel assigns become variables of the thread."""
    changed = assigned_names(kernel.body)
    given = [p for p in kernel.params if p.name in changed and isinstance(p.type, Scalar)]
    if not given:
        return kernel
    names = names_of(kernel, module)
    new = {p.name: names.fresh(f"{p.name}_now") for p in given}
    starts = tuple(
        Declare(new[p.name], p.type, Read(VarPlace(p.name, p.type)), span=p.span) for p in given
    )
    return replace(kernel, body=(*starts, *rename(kernel.body, new)))


def plain_loops(kernel: Kernel, module: Module) -> Kernel:
    """The kernel without early ends of rounds in loops that order threads."""
    names = names_of(kernel, module)

    def stmt(s: Stmt) -> tuple[Stmt, ...] | None:
        if not isinstance(s, For | While) or not orders_threads(s.body):
            return None
        skip, leave = Exit(Continue), Exit(Break)
        body = s.body
        if skip.occurs(body):
            body = guard_exits(body, skip, names.fresh("skipped"))
        if not leave.occurs(body):
            return None if body is s.body else (replace(s, body=body),)
        left = VarPlace(names.fresh("left"), BOOL)
        gone = Exit(Break, lambda _: (Assign(left, Const(True, BOOL)),))
        stay: Expr = Unary(UnaryOp.NOT, Read(left))
        body = guard_exits(body, gone, names.fresh("leaves"))
        cond = Binary(BinaryOp.LAND, stay, s.cond, span=s.cond.span)
        out: Stmt = replace(s, body=body, cond=cond)
        if isinstance(out, For) and out.step:
            out = replace(out, step=(If(stay, out.step),))
        return Declare(left.name, BOOL, Const(False, BOOL), span=s.span), out

    body = Rewriter(stmt=stmt).body(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)
