"""Long chains of cases, which a switch leaves, as branches that do not lie in each other.

Each ``elif`` is a block in the one before for TileLang, and Python takes 20 such blocks.
"""

from __future__ import annotations

from dataclasses import replace

from migrate.ir.expr import Binary, BinaryOp, Const, Expr, PtrElem, Read
from migrate.ir.simt import If, Stmt
from migrate.ir.types import Scalar
from migrate.ir.walk import assigned_names, root, var_names, walk_expr

_LONGEST_CHAIN = 6
"""Shorter ones are left as they are, which reads better."""


def cases_apart(s: If) -> tuple[If, ...]:
    """The branches of ``if (v == 1) ... else if (v == 2) ... else`` as branches of their own, which
    do not lie in each other; none where that is not the same.

    Legal because at most one of the tests holds: they compare one value with different constants,
    and no branch changes it (it is made of variables that none of them assigns). The last branch
    is taken where all of the tests fail.
    """
    cases: list[If] = []
    tested: set[float | bool] = set()
    rest: tuple[Stmt, ...] = (s,)
    while len(rest) == 1 and isinstance(rest[0], If) and not (cases and rest[0].note):
        case = rest[0]
        match case.cond:
            case Binary(BinaryOp.EQ, value, Const(constant)) if constant not in tested:
                if cases and value != _tested(cases[0]):
                    break
                tested.add(constant)
            case _:
                break
        cases.append(replace(case, other=()))
        rest = case.other
    if len(cases) <= _LONGEST_CHAIN or not _is_steady(
        _tested(cases[0]), (*(x for c in cases for x in c.then), *rest)
    ):
        return ()
    if rest:
        fails = [replace(c.cond, op=BinaryOp.NE) for c in cases if isinstance(c.cond, Binary)]
        test: Expr = fails[0]
        for other in fails[1:]:
            test = Binary(BinaryOp.LAND, test, other)
        cases.append(If(test, rest, span=rest[0].span))
    return tuple(cases)


def _tested(s: If) -> Expr:
    assert isinstance(s.cond, Binary)
    return s.cond.lhs


def _is_steady(e: Expr, stmts: tuple[Stmt, ...]) -> bool:
    """Whether a list leaves a value as it is: no memory is in it, and no variable is assigned."""
    if any(isinstance(x, Read) and isinstance(root(x.place), PtrElem) for x in walk_expr(e)):
        return False
    kind = e.type
    integers = isinstance(kind, Scalar) and kind.is_integer
    return integers and not var_names(e) & assigned_names(stmts)
