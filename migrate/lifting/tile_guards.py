"""Conditions that hold for a run of consecutive lanes, as bounds on the lane.

``lane + u < v`` holds for the lanes below ``v - u``; such a guard needs no mask: the run becomes
shorter. Bounds are distances from the run's first lane, in 64 bits. They are exact because

* the left side is evaluated with C's arithmetic at the run's first lane (which executes it), and
* it grows by exactly one a lane: signed arithmetic that wrapped there would be undefined; unsigned
  arithmetic counts only when it is the lane itself plus literals or products of launch dimensions,
  which are below 2**32 for any launch that exists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from migrate.analysis.lanes import Facts, Kind, dependence, is_uniform
from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Cast,
    Const,
    Expr,
    IndexVar,
    Read,
    Select,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.tile import FIRST, LANE
from migrate.ir.types import I64, U32, U64, Scalar
from migrate.ir.walk import walk_expr

FIRST_VALUE: Expr = Read(VarPlace(FIRST, U32))
"""The number of the run's first lane."""
_FLIPPED = {
    BinaryOp.LT: BinaryOp.GT,
    BinaryOp.LE: BinaryOp.GE,
    BinaryOp.GT: BinaryOp.LT,
    BinaryOp.GE: BinaryOp.LE,
}
_NEGATED = {
    BinaryOp.LT: BinaryOp.GE,
    BinaryOp.LE: BinaryOp.GT,
    BinaryOp.GT: BinaryOp.LE,
    BinaryOp.GE: BinaryOp.LT,
    BinaryOp.EQ: BinaryOp.NE,
    BinaryOp.NE: BinaryOp.EQ,
}


@dataclass(frozen=True, slots=True)
class Bound:
    """Lanes with ``distance from first < keep`` (or ``>= skip``), never both."""

    skip: Expr | None = None
    keep: Expr | None = None
    limit: Expr | None = None
    """For a ``keep`` whose left side is the lane itself: the lanes are those below this."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A conjunction in its own order: uniform terms, then bounds on the lane, then the rest.

    The order is kept because a term may protect those behind it: ``row < rows && w[row] > 0``.
    """

    uniform: tuple[Expr, ...]
    bounds: tuple[Bound, ...]
    rest: tuple[Expr, ...]


def negate(e: Expr) -> Expr:
    """``!e`` with the negation moved into comparisons (integers) and logic."""
    match e:
        case Unary(UnaryOp.NOT, inner):
            return inner
        case Binary(op, lhs, rhs) if op in _NEGATED and _is_integer(lhs):
            return Binary(_NEGATED[op], lhs, rhs)
        case Binary(BinaryOp.LAND, lhs, rhs):
            return Binary(BinaryOp.LOR, negate(lhs), negate(rhs))
        case Binary(BinaryOp.LOR, lhs, rhs):
            return Binary(BinaryOp.LAND, negate(lhs), negate(rhs))
        case _:
            return Unary(UnaryOp.NOT, e)


def _is_integer(e: Expr) -> bool:
    return isinstance(e.type, Scalar) and e.type.is_integer


def terms(e: Expr) -> tuple[Expr, ...]:
    """The parts of a conjunction."""
    match e:
        case Binary(BinaryOp.LAND, lhs, rhs):
            return (*terms(lhs), *terms(rhs))
        case Unary(UnaryOp.NOT, Binary(BinaryOp.LOR) as inner):
            return terms(negate(inner))
        case Unary(UnaryOp.NOT, Unary(UnaryOp.NOT, inner)):
            return terms(inner)
        case Unary(UnaryOp.NOT, Binary(op, lhs) as inner) if op in _NEGATED and _is_integer(lhs):
            return (negate(inner),)
        case _:
            return (e,)


@dataclass(frozen=True, slots=True)
class View:
    """How expressions of a kernel are looked at.

    ``expand`` replaces locals by what they equal, ``at_first`` gives the value at the run's first
    lane, ``counters`` are loop variables that start at and advance by sums of launch dimensions.
    """

    facts: Facts
    expand: Callable[[Expr], Expr]
    at_first: Callable[[Expr], Expr]
    counters: frozenset[str] = frozenset()


def analyse(cond: Expr, view: View) -> Guard:
    """Sorts the terms of a condition."""
    uniform: list[Expr] = []
    bounds: list[Bound] = []
    rest: list[Expr] = []
    for term in terms(cond):
        bound = None if rest else bound_of(term, view)
        if not bounds and not rest and is_uniform(term, view.facts):
            uniform.append(term)
        elif bound is not None:
            bounds.append(bound)
        else:
            rest.append(term)
    return Guard(tuple(uniform), tuple(bounds), tuple(rest))


def bound_of(term: Expr, view: View) -> Bound | None:
    """The bound that a comparison puts on the lane, or nothing."""
    facts, expand = view.facts, view.expand
    if not isinstance(term, Binary) or term.op not in _FLIPPED:
        return None
    op, lhs, rhs = term.op, term.lhs, term.rhs
    if is_uniform(lhs, facts):
        op, lhs, rhs = _FLIPPED[op], rhs, lhs
    if not is_uniform(rhs, facts) or not _is_integer(lhs):
        return None
    found = dependence(lhs, facts)
    if found.kind is not Kind.AFFINE or found.step != 1:
        return None
    if not _grows(expand(lhs), view.counters):
        return None
    start = view.at_first(lhs)
    edge = _edge(rhs, strict=op in (BinaryOp.LT, BinaryOp.GE))
    is_lane = _bare(expand(lhs)) == Read(VarPlace(LANE, U32))
    distance = Binary(BinaryOp.SUB, edge, _wide(FIRST_VALUE if is_lane else start))
    if op in (BinaryOp.LT, BinaryOp.LE):
        return Bound(keep=distance, limit=edge if is_lane else None)
    return Bound(skip=distance)


def _edge(bound: Expr, *, strict: bool) -> Expr:
    """The first value at or after the bound at which ``x < bound`` (or ``<=``) changes, as i64.

    A u64 bound beyond i64 counts as the largest i64: no lane is that far.
    """
    wide = _wide(bound)
    return wide if strict else Binary(BinaryOp.ADD, wide, Const(1, I64))


def _wide(e: Expr) -> Expr:
    if e.type == I64:
        return e
    if e.type == U64:
        most = Const((1 << 62), U64)
        if isinstance(e, Cast) and e.operand.type in (U32,):
            return Cast(e.operand, I64)
        return Cast(Select(Binary(BinaryOp.LT, e, most), e, most), I64)
    return Cast(e, I64)


def _bare(e: Expr) -> Expr:
    while isinstance(e, Cast) and isinstance(e.type, Scalar) and e.type.bits >= 32:
        if not e.type.is_integer:
            break
        e = e.operand
    return e


def _grows(e: Expr, counters: frozenset[str]) -> bool:
    """True when the value grows by one a lane without wrapping."""
    if _bare(e) == Read(VarPlace(LANE, U32)):
        return True
    if not isinstance(e.type, Scalar):
        return False
    if not e.type.is_signed:
        return is_launch_sum(e, counters)
    match e:
        case Cast(operand) if isinstance(operand.type, Scalar):
            # A signed value may come from unsigned arithmetic, which must not have wrapped.
            return operand.type.is_integer and _grows(operand, counters)
        case Binary(BinaryOp.ADD | BinaryOp.SUB, lhs, rhs):
            return _grows_or_stays(lhs, counters) and _grows_or_stays(rhs, counters)
        case Read():
            return True
        case _:
            return False


def _grows_or_stays(e: Expr, counters: frozenset[str]) -> bool:
    mentions = any(x == Read(VarPlace(LANE, U32)) for x in walk_expr(e))
    return not mentions or _grows(e, counters)


def is_launch_sum(e: Expr, counters: frozenset[str] = frozenset()) -> bool:
    """True for the lane, launch dimensions, small literals, and their sums and products."""
    bare = _bare(e)
    match bare:
        case IndexVar():
            return True
        case Const(int(value)):
            return 0 <= value < 1 << 20
        case Read(VarPlace(name)):
            return name == LANE or name in counters
        case Binary(BinaryOp.ADD | BinaryOp.MUL, lhs, rhs):
            return is_launch_sum(lhs, counters) and is_launch_sum(rhs, counters)
        case _:
            return False
