"""Elements of memory that lie in rows: ``p[row * width + column]`` with ``column < width``."""

from __future__ import annotations

from migrate.analysis.affine import Polynomial, number, polynomial
from migrate.ir.expr import Binary, BinaryOp, Expr

ROW, COLUMN = "threadIdx.y", "threadIdx.x"
"""How polynomials name the row and the column of an element of a box."""
_FROM_ZERO = frozenset(f"{b}.{a}" for b in ("blockIdx", "threadIdx") for a in "xyz")
"""What is never negative."""


def columns_stay_inside(index: Expr, tests: tuple[Expr, ...], columns: int) -> bool:
    """Whether the elements of a box lie at different indices, given that the tests hold.

    Rows are a known distance of ``columns`` or more apart, or a distance ``width`` of which a test
    says ``column < width`` for a column from 0 on.
    """
    p = polynomial(index, {})
    if not p.is_linear_in(frozenset({ROW, COLUMN})):
        return False
    across = _factor(p, COLUMN)
    along = _factor(p, ROW)
    if across == number(0) and columns == 1:
        across = number(1)
    if across != number(1):
        return False
    if not along.atoms:
        return abs(along.constant) >= columns
    return any(_below(t, along) for t in tests)


def _factor(p: Polynomial, name: str) -> Polynomial:
    """What an atom, in which a polynomial is linear, is multiplied with."""
    found = number(0)
    for monomial, factor in p.terms:
        if name in monomial:
            rest = tuple(a for a in monomial if a != name)
            found = found + Polynomial(((rest, factor),))
    return found


def _below(test: Expr, width: Polynomial) -> bool:
    """Whether a test says that the column, which no row moves, is below ``width``."""
    if not isinstance(test, Binary):
        return False
    match test.op:
        case BinaryOp.LT:
            column, limit = test.lhs, test.rhs
        case BinaryOp.GT:
            column, limit = test.rhs, test.lhs
        case _:
            return False
    p = polynomial(column, {})
    if polynomial(limit, {}) != width or _factor(p, COLUMN) != number(1) or ROW in p.atoms:
        return False
    return p.atoms <= _FROM_ZERO and all(c > 0 for _, c in p.terms)
