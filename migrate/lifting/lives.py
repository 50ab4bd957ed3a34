"""A variable that is used for several things one after the other becomes several variables.

    var i: i32 = t                         var i: i32 = t
    while (i < n) { ...  i = (i + 64) }    while (i < n) { ...  i = (i + 64) }
    i = 1                                  var i_2: i32
    while (i < 64) {                       i_2 = 1
      barrier block                        while (i_2 < 64) {
      i = (i * 2)                            barrier block
    }                                        i_2 = (i_2 * 2)
                                           }

C programs reuse a counter, or declare at their top what one loop alone needs. For the analysis of
convergence such a variable is as divergent as its worst use, and a loop over ``i = 1, 2, 4...``
seems to differ from thread to thread because another one started from the thread's number.

Legal because a list is cut only where nothing that follows in it reads the value that the variable
has there: no value is lost when what follows uses a new variable. A variable that is used inside of
one branch or loop alone, and whose value on entry nobody reads, is declared inside. Names stay
unique, and memory is not touched; arrays and variables whose address is taken stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from migrate.ir.expr import AddressOf, Expr, VarPlace
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
from migrate.ir.types import Scalar, Space
from migrate.ir.walk import (
    all_exprs,
    place_exprs,
    rename,
    root,
    stmt_exprs,
    stmt_places,
    sub_bodies,
    var_names,
    walk_stmts,
)
from migrate.lifting.naming import Names, names_of


def separate_lives(kernel: Kernel, module: Module) -> Kernel:
    """The kernel (structured control, no ``return``) with a variable for each life of a scalar."""
    if any(isinstance(s, Return | Switch | DoWhile) for s in walk_stmts(kernel.body)):
        return kernel
    taken = {
        base.name
        for e in all_exprs(kernel.body)
        if isinstance(e, AddressOf) and isinstance(base := root(e.place), VarPlace)
    }
    body = _Separator(names_of(kernel, module), frozenset(taken)).list(kernel.body)
    return kernel if body == kernel.body else replace(kernel, body=body)


class _Separator:
    def __init__(self, names: Names, taken: frozenset[str]) -> None:
        self._names = names
        self._taken = taken

    def list(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        at = 0
        while at < len(stmts):
            s = stmts[at]
            made = None
            if isinstance(s, Declare) and self._can(s):
                made = self._lives(s, stmts[at + 1 :])
            if made is None:
                at += 1
            else:  # what stands here now may have further lives, or move further inside
                stmts = (*stmts[:at], *made)
        return tuple(self._inside(s) for s in stmts)

    def _can(self, s: Declare) -> bool:
        return isinstance(s.type, Scalar) and s.space is Space.LOCAL and s.name not in self._taken

    def _inside(self, s: Stmt) -> Stmt:
        match s:
            case If(_, then, other):
                return replace(s, then=self.list(then), other=self.list(other))
            case For() | While():
                return replace(s, body=self.list(s.body))
            case _:
                return s

    def _lives(self, s: Declare, rest: tuple[Stmt, ...]) -> tuple[Stmt, ...] | None:
        """A declaration and what follows it, the lives of its variable apart; None if they are."""
        users = [at for at in range(len(rest)) if uses(s.name, (rest[at],))]
        # Without an initialiser the first life has the declaration itself.
        later = users if s.init is not None else users[1:]
        start = next((at for at in later if not live(s.name, rest[at:])), None)
        if start is not None:
            fresh = Declare(self._names.fresh(s.name), s.type, span=s.span)
            renamed = rename(rest[start:], {s.name: fresh.name})
            return (s, *rest[:start], fresh, *renamed)
        if s.init is not None or len(users) > 1:
            return None
        if not users:
            return rest
        only = rest[users[0]]
        inside = self._declared_inside(s, only) if isinstance(only, If | For | While) else None
        return None if inside is None else (*rest[: users[0]], inside, *rest[users[0] + 1 :])

    def _declared_inside(self, s: Declare, user: If | For | While) -> Stmt | None:
        if s.name in var_names(user.cond):
            return None
        match user:
            case If(_, then, other):
                if uses(s.name, then) and uses(s.name, other):
                    second = replace(s, name=self._names.fresh(s.name))
                    renamed = (second, *rename(other, {s.name: second.name}))
                    return replace(user, then=(s, *then), other=renamed)
                if uses(s.name, then):
                    return replace(user, then=(s, *then))
                return replace(user, other=(s, *other))
            case For(init, _, step, body):
                free = uses(s.name, init) or uses(s.name, step) or live(s.name, body)
                return None if free else replace(user, body=(s, *body))
            case While(_, body):
                return None if live(s.name, body) else replace(user, body=(s, *body))


def uses(name: str, stmts: tuple[Stmt, ...]) -> bool:
    """Whether a variable is read or written in a statement list."""
    for s in walk_stmts(stmts):
        places = stmt_places(s)
        if any(isinstance(b := root(p), VarPlace) and b.name == name for p in places):
            return True
        if _reads(name, s):
            return True
    return False


def _reads(name: str, s: Stmt) -> bool:
    """Whether a statement itself reads a variable, in an expression or in a place."""
    own: list[Expr] = list(stmt_exprs(s))
    for p in stmt_places(s):
        own += place_exprs(p)
    return any(name in var_names(e) for e in own)


@dataclass(frozen=True, slots=True)
class _After:
    """Whether a variable is read behind a list, behind its loop, and in the loop's next round."""

    end: bool = False
    left: bool = False
    again: bool = False


def live(name: str, stmts: tuple[Stmt, ...]) -> bool:
    """Whether some path through a list (of structured control) reads the value that a variable
    has at its start. What follows behind the list is taken to read nothing."""
    return _live(name, stmts, _After())


def _live(name: str, stmts: tuple[Stmt, ...], after: _After) -> bool:
    now = after.end
    for s in reversed(stmts):
        now = _before(name, s, replace(after, end=now))
    return now


def _before(name: str, s: Stmt, after: _After) -> bool:
    match s:
        case Assign(VarPlace(target)) if target == name:
            return _reads(name, s)
        case Break():
            return after.left
        case Continue():
            return after.again
        case If(cond, then, other):
            sides = _live(name, then, after) or _live(name, other, after)
            return name in var_names(cond) or sides
        case While(cond, body):
            return _at_test(name, cond, body, (), after)
        case For(init, cond, step, body):
            return _live(name, init, _After(_at_test(name, cond, body, step, after)))
        case _:
            if sub_bodies(s):
                return True
            return _reads(name, s) or after.end


def _at_test(
    name: str, cond: Expr, body: tuple[Stmt, ...], step: tuple[Stmt, ...], after: _After
) -> bool:
    """At the test of a loop: read there, behind the loop, or in some round."""
    found = after.end or name in var_names(cond)
    again = _live(name, step, _After(found))
    # What a round reads at its start the rounds before it leave: once more is a fixed point.
    for _ in range(2):
        found = found or _live(name, body, _After(again, after.end, again))
        again = _live(name, step, _After(found))
    return found
