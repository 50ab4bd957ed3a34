"""For TileLang: operands that it copies are bound first, in written-out lane programs.

What :mod:`migrate.lifting.bind_operands` does to a kernel, step by step. A test between steps whose
operands have to be bound is evaluated into a block variable where it would be evaluated::

    while (cast<i32>(h) > 0) {            single { var h_now = h  again = (cast<i32>(h_now) > 0) }
      ...                                 while (again) {
    }                                       ...
                                            single { ... }
                                          }

Legal because a test between steps is evaluated once a block, right where the variable is set.
"""

from __future__ import annotations

from dataclasses import replace

from typing_extensions import assert_never

from migrate.ir.expr import Expr, Read, VarPlace
from migrate.ir.lane_code import (
    EachLane,
    Fold,
    LaneCode,
    Repeat,
    Single,
    Step,
    Sums,
    Test,
    walk_steps,
)
from migrate.ir.lanes import BlockVariable
from migrate.ir.simt import Assign, Stmt
from migrate.ir.types import BOOL
from migrate.ir.walk import assigned_names, declared_names
from migrate.lifting.bind_operands import Binder
from migrate.lifting.naming import Names


def bind_lanes(code: LaneCode) -> LaneCode:
    """The pass; see the module."""
    return _Binding(code).run()


class _Binding:
    def __init__(self, code: LaneCode) -> None:
        self._code = code
        bodies = [s.body for s in walk_steps(code.body) if isinstance(s, EachLane | Single)]
        taken = {code.lane.name, code.threads.name, *code.program.types()}
        taken |= {v.name for v in code.variables}
        mutable: set[str] = {v.name for v in code.variables}
        for body in bodies:
            taken |= declared_names(body)
            mutable |= assigned_names(body)
        self._names = Names(taken)
        self._binder = Binder(self._names, frozenset(mutable))
        self._tests: list[BlockVariable] = []

    def run(self) -> LaneCode:
        body = self._list(self._code.body)
        return replace(self._code, body=body, variables=(*self._code.variables, *self._tests))

    def _list(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(made for s in steps for made in self._step(s))

    def _step(self, s: Step) -> tuple[Step, ...]:
        match s:
            case EachLane(body) | Single(body):
                return (replace(s, body=self._stmts(body)),)
            case Test(cond, then, other):
                branch = replace(s, then=self._list(then), other=self._list(other))
                if not self._binder.needs(cond):
                    return (branch,)
                test, place = self._test(cond)
                return test, replace(branch, cond=Read(place))
            case Repeat(cond, body, step):
                loop = replace(s, body=self._list(body), step=self._list(step))
                if not self._binder.needs(cond):
                    return (loop,)
                test, place = self._test(cond)
                return test, replace(loop, cond=Read(place), step=(*loop.step, test))
            case Fold() | Sums():
                return (s,)
            case _:
                assert_never(s)

    def _stmts(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return self._binder.body(body, ())

    def _test(self, cond: Expr) -> tuple[Single, VarPlace]:
        place = VarPlace(self._names.fresh("again"), BOOL)
        self._tests.append(BlockVariable(place.name, BOOL))
        return Single(self._stmts((Assign(place, cond, span=cond.span),))), place
