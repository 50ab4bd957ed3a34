"""Early exits become guards.

A statement list that is left in its middle is rewritten so that control always reaches its end:

* an exit at the end is dropped;
* ``if (c) { exit } rest`` becomes ``if (!c) { rest }``::

      if (i >= n) { return }          if (i < n) {
      y[i] = x[i]                       y[i] = x[i]
                                      }

* where only some paths of a branch leave, and inside loops, a flag says that the list was left::

      for ... { if (a[k] < 0) { return } }       var returned: bool = false
      y[i] = 1                                   for ... { if (a[k] < 0) { returned = true break } }
                                                 if (! returned) { y[i] = 1 }

Legal because the guarded statements run exactly when control would have reached them, and a guard
reads only its own flag or repeats no evaluation. Negation is exact: comparisons of integers are
turned round, comparisons of floats (false for NaN) are kept under ``!``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from migrate.core.diagnostics import Sink
from migrate.ir.expr import Binary, BinaryOp, Const, Expr, Read, Unary, UnaryOp, VarPlace
from migrate.ir.kernel import Kernel, Module
from migrate.ir.simt import (
    Assign,
    Break,
    Continue,
    Declare,
    DoWhile,
    For,
    If,
    Return,
    Stmt,
    Switch,
    While,
)
from migrate.ir.types import BOOL, Scalar
from migrate.ir.walk import sub_bodies
from migrate.lifting.naming import names_of

_OPPOSITE = {
    BinaryOp.LT: BinaryOp.GE, BinaryOp.GE: BinaryOp.LT, BinaryOp.GT: BinaryOp.LE,
    BinaryOp.LE: BinaryOp.GT, BinaryOp.EQ: BinaryOp.NE, BinaryOp.NE: BinaryOp.EQ,
}  # fmt: skip
_ALWAYS_EXACT = frozenset({BinaryOp.EQ, BinaryOp.NE})


def negate(e: Expr) -> Expr:
    """``!e``, pushed inwards where that is exact."""
    match e:
        case Const(bool(value)):
            return replace(e, value=not value)
        case Unary(UnaryOp.NOT, operand):
            return operand
        case Binary(BinaryOp.LAND, lhs, rhs):
            return replace(e, op=BinaryOp.LOR, lhs=negate(lhs), rhs=negate(rhs))
        case Binary(BinaryOp.LOR, lhs, rhs):
            return replace(e, op=BinaryOp.LAND, lhs=negate(lhs), rhs=negate(rhs))
        case Binary(op, lhs, _) if op in _OPPOSITE:
            is_float = isinstance(lhs.type, Scalar) and lhs.type.is_float
            if op in _ALWAYS_EXACT or not is_float:
                return replace(e, op=_OPPOSITE[op])
    return Unary(UnaryOp.NOT, e, span=e.span)


@dataclass(frozen=True, slots=True)
class Exit:
    """Which statement leaves the list, and what stands in its place (the returned value's use)."""

    kind: type[Return] | type[Break] | type[Continue]
    instead: Callable[[Stmt], tuple[Stmt, ...]] = lambda _: ()

    def occurs(self, stmts: tuple[Stmt, ...]) -> bool:
        """Whether a statement of the list, or below it, leaves the list."""
        for s in stmts:
            if isinstance(s, self.kind):
                return True
            if self._hides(s):
                continue
            if any(self.occurs(b) for b in sub_bodies(s)):
                return True
        return False

    def _hides(self, s: Stmt) -> bool:
        """A loop (or switch) that catches this exit itself."""
        if self.kind is Return:
            return False
        if isinstance(s, Switch):
            return self.kind is Break
        return isinstance(s, For | While | DoWhile)

    def always(self, stmts: tuple[Stmt, ...]) -> bool:
        """Whether every path through the list leaves it."""
        for s in stmts:
            if isinstance(s, self.kind):
                return True
            if isinstance(s, If) and self.always(s.then) and self.always(s.other):
                return True
        return False


def guard_exits(body: tuple[Stmt, ...], leave: Exit, flag_name: str) -> tuple[Stmt, ...]:
    """Rewrite a list so that it is only left at its end; declares the flag when one is needed."""
    guard = _Guard(leave, VarPlace(flag_name, BOOL))
    out = guard.list(body)
    if guard.flag_used:
        return (Declare(flag_name, BOOL, Const(False, BOOL)), *out)
    return out


class _Guard:
    def __init__(self, leave: Exit, flag: VarPlace) -> None:
        self._leave = leave
        self._flag = flag
        self.flag_used = False

    def _set_flag(self) -> Stmt:
        self.flag_used = True
        return Assign(self._flag, Const(True, BOOL))

    def list(self, stmts: tuple[Stmt, ...], mark: bool = False) -> tuple[Stmt, ...]:
        """``mark``: an exit in here has to set the flag, since more follows outside."""
        out: list[Stmt] = []
        for at, s in enumerate(stmts):
            rest = stmts[at + 1 :]
            if isinstance(s, self._leave.kind):
                out.extend(self._leave.instead(s))
                if mark:
                    out.append(self._set_flag())
                return tuple(out)
            if not self._leave.occurs((s,)):
                out.append(s)
                continue
            if isinstance(s, If):
                out.extend(self._branch(s, rest, mark))
                return tuple(out)
            out.append(self._loop(s))
            if rest:
                unless = Unary(UnaryOp.NOT, Read(self._flag))
                out.append(If(unless, self.list(rest, mark)))
            return tuple(out)
        return tuple(out)

    def _branch(self, s: If, rest: tuple[Stmt, ...], mark: bool) -> tuple[Stmt, ...]:
        if self._leave.always(s.then) or not rest:
            then, other = self.list(s.then, mark), self.list((*s.other, *rest), mark)
            return _tidy(replace(s, then=then, other=other))
        if self._leave.always(s.other):
            then, other = self.list((*s.then, *rest), mark), self.list(s.other, mark)
            return _tidy(replace(s, then=then, other=other))
        then, other = self.list(s.then, True), self.list(s.other, True)
        unless = Unary(UnaryOp.NOT, Read(self._flag))
        return (*_tidy(replace(s, then=then, other=other)), If(unless, self.list(rest, mark)))

    def _loop(self, s: Stmt) -> Stmt:
        """Only returns get here: a loop catches the other exits."""
        match s:
            case For(body=body) | While(body=body) | DoWhile(body=body):
                return replace(s, body=self._in_loop(body))
            case _:
                raise TypeError(f"an exit from inside {type(s).__name__}")

    def _in_loop(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        out: list[Stmt] = []
        for s in stmts:
            if isinstance(s, self._leave.kind):
                out += [*self._leave.instead(s), self._set_flag(), Break(span=s.span)]
                return tuple(out)
            if not self._leave.occurs((s,)):
                out.append(s)
            elif isinstance(s, If):
                then, other = self._in_loop(s.then), self._in_loop(s.other)
                out.append(replace(s, then=then, other=other))
            else:
                out.append(self._loop(s))
                out.append(If(Read(self._flag), (Break(),)))
        return tuple(out)


def _tidy(s: If) -> tuple[Stmt, ...]:
    if s.then:
        return (s,)
    if not s.other:
        return ()
    return (replace(s, cond=negate(s.cond), then=s.other, other=()),)


def guard_returns(kernel: Kernel, module: Module, _: Sink) -> Kernel:
    """The pass: a kernel without ``return``."""
    leave = Exit(Return)
    if not leave.occurs(kernel.body):
        return kernel
    flag = names_of(kernel, module).fresh("returned")
    return replace(kernel, body=guard_exits(kernel.body, leave, flag))
