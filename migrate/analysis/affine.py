"""Indices as polynomials in what a thread knows: built-ins, parameters, loop counters.

    y[(row * cols + c) * 3 + 1]    3*cols*row + 3*c + 1

Integer arithmetic is taken as exact: an index that wraps would leave its buffer. What is neither a
sum nor a product (a quotient, a load, a call) is one opaque atom, named by its text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Cast,
    Const,
    Expr,
    IndexVar,
    PtrElem,
    Read,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.kernel import Kernel
from migrate.ir.printer import print_expr
from migrate.ir.simt import Declare
from migrate.ir.types import Scalar
from migrate.ir.walk import assigned_names, walk_expr, walk_stmts

Monomial = tuple[str, ...]
"""Atoms in order, repeated for powers; the empty one is 1."""


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of ``coefficient * monomial``, without zero coefficients, in order."""

    terms: tuple[tuple[Monomial, int], ...]

    @property
    def atoms(self) -> frozenset[str]:
        """Everything that it depends on."""
        return frozenset(a for m, _ in self.terms for a in m)

    @property
    def constant(self) -> int:
        """The term without atoms."""
        return dict(self.terms).get((), 0)

    def coefficient(self, monomial: Monomial) -> int:
        """The factor of one product of atoms."""
        return dict(self.terms).get(monomial, 0)

    def is_linear_in(self, atoms: frozenset[str]) -> bool:
        """Whether no product holds two of these atoms."""
        return all(sum(a in atoms for a in m) <= 1 for m, _ in self.terms)

    def __str__(self) -> str:
        """``3*cols*row + c + 1``: larger products first, the constant last."""
        ordered = sorted(self.terms, key=lambda term: (-len(term[0]), term[0]))
        text = " + ".join(_term(m, c) for m, c in ordered)
        return text.replace("+ -", "- ") or "0"

    def __add__(self, other: Polynomial) -> Polynomial:
        total = dict(self.terms)
        for m, c in other.terms:
            total[m] = total.get(m, 0) + c
        return _polynomial(total)

    def __mul__(self, other: Polynomial) -> Polynomial:
        total: dict[Monomial, int] = {}
        for m, c in self.terms:
            for n, d in other.terms:
                key = tuple(sorted((*m, *n)))
                total[key] = total.get(key, 0) + c * d
        return _polynomial(total)

    def __neg__(self) -> Polynomial:
        return Polynomial(tuple((m, -c) for m, c in self.terms))

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other


def _term(monomial: Monomial, factor: int) -> str:
    if not monomial or abs(factor) != 1:
        return "*".join((str(factor), *monomial))
    return ("-" if factor < 0 else "") + "*".join(monomial)


def _polynomial(terms: Mapping[Monomial, int]) -> Polynomial:
    return Polynomial(tuple(sorted((m, c) for m, c in terms.items() if c)))


def number(value: int) -> Polynomial:
    """A constant."""
    return _polynomial({(): value})


def atom(name: str) -> Polynomial:
    """One atom."""
    return _polynomial({(name,): 1})


def definitions(kernel: Kernel) -> dict[str, Expr]:
    """What each variable that is assigned once was given, if that reads no memory."""
    changed = assigned_names(kernel.body)
    return {
        s.name: s.init
        for s in walk_stmts(kernel.body)
        if isinstance(s, Declare)
        and s.init is not None
        and s.name not in changed
        and not any(isinstance(x, Read) and isinstance(x.place, PtrElem) for x in walk_expr(s.init))
    }


def polynomial(e: Expr, known: Mapping[str, Expr]) -> Polynomial:
    """An integer expression; ``known`` gives variables their definitions."""
    match e:
        case Const(value):
            return number(int(value))
        case IndexVar(builtin, axis):
            return atom(f"{builtin.value}.{axis}")
        case Read(VarPlace(name)) if name in known:
            return polynomial(known[name], known)
        case Read(VarPlace(name)):
            return atom(name)
        case Cast(operand, Scalar() as kind) if kind.is_integer and kind.bits >= 32:
            inner = operand.type
            if isinstance(inner, Scalar) and inner.is_integer and inner.bits >= 32:
                return polynomial(operand, known)
        case Unary(UnaryOp.NEG, operand):
            return -polynomial(operand, known)
        case Binary(BinaryOp.ADD, lhs, rhs):
            return polynomial(lhs, known) + polynomial(rhs, known)
        case Binary(BinaryOp.SUB, lhs, rhs):
            return polynomial(lhs, known) - polynomial(rhs, known)
        case Binary(BinaryOp.MUL, lhs, rhs):
            return polynomial(lhs, known) * polynomial(rhs, known)
        case Binary(BinaryOp.SHL, lhs, Const(value)) if 0 <= int(value) < 31:
            return polynomial(lhs, known) * number(1 << int(value))
    return atom(print_expr(e))
