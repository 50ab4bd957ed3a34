"""The closed list of predicates that rule conditions may name.

Each takes the bound sub-expressions of a match, and literal words of the rule file, and says
whether the condition holds. Facts that need an analysis of the kernel are not here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from migrate.ir.expr import Const, Expr
from migrate.ir.types import Scalar
from migrate.ir.walk import walk_expr

Operand = Expr | str
"""A bound expression, or a word as the rule file gives it."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """``test`` gets the condition's operands; ``arity`` is the least number of them."""

    text: str
    arity: int
    test: Callable[[Sequence[Operand]], bool]


def _expr(o: Operand) -> Expr | None:
    return None if isinstance(o, str) else o


def _constant(args: Sequence[Operand]) -> bool:
    return isinstance(_expr(args[0]), Const)


def _close(args: Sequence[Operand]) -> bool:
    """``[$C, value, relative]``: a literal within a relative distance of a number."""
    c = _expr(args[0])
    if not isinstance(c, Const) or not isinstance(args[1], str):
        return False
    relative = float(args[2]) if len(args) > 2 and isinstance(args[2], str) else 1e-6
    return math.isclose(float(c.value), float(args[1]), rel_tol=relative)


def _number(args: Sequence[Operand]) -> bool:
    c = _expr(args[0])
    return isinstance(c, Const) and not math.isnan(float(c.value))


def _type_in(args: Sequence[Operand]) -> bool:
    e = _expr(args[0])
    return e is not None and str(e.type) in args[1:]


def _ordered(args: Sequence[Operand]) -> bool:
    low, high = (_expr(a) for a in args[:2])
    if not isinstance(low, Const) or not isinstance(high, Const):
        return False
    return float(low.value) <= float(high.value)


def _same_type(args: Sequence[Operand]) -> bool:
    kinds = {str(e.type) for e in map(_expr, args) if e is not None}
    return len(kinds) == 1


def _cheap(args: Sequence[Operand]) -> bool:
    """At most eight nodes: it can be repeated without a temporary."""
    e = _expr(args[0])
    return e is not None and sum(1 for _ in walk_expr(e)) <= 8


def _scalar_float(args: Sequence[Operand]) -> bool:
    e = _expr(args[0])
    return e is not None and isinstance(e.type, Scalar) and e.type.is_float


PREDICATES: dict[str, Predicate] = {
    "is_constant": Predicate("the operand is a literal", 1, _constant),
    "is_close": Predicate("the operand is a literal close to a number", 2, _close),
    "is_number": Predicate("the operand is a literal that is no NaN", 1, _number),
    "is_ordered": Predicate(
        "both operands are literals, the first not above the second", 2, _ordered
    ),
    "is_float": Predicate("the operand is a floating-point scalar", 1, _scalar_float),
    "type_in": Predicate("the operand's type is one of those named", 2, _type_in),
    "same_type": Predicate("the operands have one type", 2, _same_type),
    "is_cheap": Predicate("the operand is small enough to be written twice", 1, _cheap),
}
"""Predicates by name."""
