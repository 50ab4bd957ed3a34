"""Double precision where a chip has none: what can be narrowed to float without changing a bit.

C++ code for float often passes through double without need: ``x * 2.0`` converts ``x``, multiplies
in double and rounds back. The result is the float product whenever

* the operands are exactly representable as float (a converted float, a literal such as ``2.0`` or
  ``0.5``, a narrow integer), and
* the operation is one ``+ - * /`` or ``sqrt`` whose double result is rounded to float at once.

Proof. Rounding first to q = 53 and then to p = 24 bits gives the same as rounding once when
q >= 2p + 2 = 50 (S. A. Figueroa, "When is double rounding innocuous?", SIGNUM 30(3), 1995), for
results in float's normal range. In its subnormal range: a product of two floats has at most 48
significant bits and an exponent of at least -298, so it is exact in double and rounded once; a sum
or difference of floats is a multiple of 2^-149, so below 2^-126 it is exact in both; a quotient a/b
differs from a midpoint M of the subnormal grid by a relative amount of at least 1/(B N) > 2^-48
(b has a 24-bit significand B, M has at most 24 bits N; a - bM is a nonzero multiple of the smaller
unit), which the rounding error of double, 2^-53, cannot bridge; a square root is never subnormal.
A result above float's range is infinite in both ways, since double's range holds every such result.

Comparisons, ``-x``, ``fabs``, ``floor``, ``ceil``, ``trunc``, ``rint``, ``fmin``, ``fmax`` of exact
operands are exact in both. Everything else keeps its double and is refused (or ``--double fp32``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from migrate.core.codes import target
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.core.targets import Target
from migrate.ir.expr import (
    COMPARISONS,
    Binary,
    BinaryOp,
    Call,
    Cast,
    Const,
    Expr,
    Select,
    Unary,
    UnaryOp,
)
from migrate.ir.kernel import Kernel
from migrate.ir.simt import Declare, Effect, Stmt
from migrate.ir.types import F32, F64, Array, Kind, Pointer, Scalar, Type, Vector
from migrate.ir.walk import Rewriter, stmt_exprs, stmt_places, walk_expr, walk_stmts

_ROUNDED_ONCE = frozenset({BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.DIV})
_EXACT_CALLS = frozenset({"fabs", "floor", "ceil", "trunc", "rint", "fmin", "fmax"})
_NARROW = frozenset({Kind.BOOL, Kind.I8, Kind.U8, Kind.I16, Kind.U16})
_F32_MAX = float(np.finfo(np.float32).max)
_WORDS = frozenset({Kind.I32, Kind.U32})


def exact_single(e: Expr) -> Expr | None:
    """A float expression with exactly the value of a double one, if there is one."""
    match e:
        case Cast(operand, t) if t == F64:
            source = operand.type
            if source == F32:
                return operand
            if isinstance(source, Scalar) and source.kind in _NARROW:
                return Cast(operand, F32, span=e.span)
            return None
        case Const(value, t) if t == F64:
            if math.isfinite(value) and abs(value) > _F32_MAX:
                return None
            single = float(np.float32(value))
            if single == float(value) or math.isnan(value):
                return Const(single, F32, span=e.span)
            return None
        case Unary(UnaryOp.NEG, operand) if e.type == F64:
            inner = exact_single(operand)
            return None if inner is None else Unary(UnaryOp.NEG, inner, span=e.span)
        case Select(cond, then, other) if e.type == F64:
            a, b = exact_single(then), exact_single(other)
            return None if a is None or b is None else Select(cond, a, b, span=e.span)
        case Call(name, args, t) if t == F64 and name.removeprefix("std::") in _EXACT_CALLS:
            parts = tuple(exact_single(a) for a in args)
            known = tuple(p for p in parts if p is not None)
            if len(known) != len(args):
                return None
            return Call(f"{name.removeprefix('std::')}f", known, F32, span=e.span)
        case _:
            return None


def rounded_single(e: Expr) -> Expr | None:
    """A float expression equal to a double one rounded to float, if there is one."""
    exact = exact_single(e)
    if exact is not None:
        return exact
    match e:
        case Const(value, t) if t == F64 and abs(float(value)) <= _F32_MAX:
            return Const(float(np.float32(value)), F32, span=e.span)
        case Binary(op, lhs, rhs) if op in _ROUNDED_ONCE and e.type == F64:
            a, b = exact_single(lhs), exact_single(rhs)
            return None if a is None or b is None else Binary(op, a, b, span=e.span)
        case Call(name, (arg,), t) if t == F64 and name.removeprefix("std::") == "sqrt":
            inner = exact_single(arg)
            return None if inner is None else Call("sqrtf", (inner,), F32, span=e.span)
        case Cast(operand, t) if t == F64 and isinstance(operand.type, Scalar):
            # An int is exact in double, so there is one rounding on either way.
            return Cast(operand, F32, span=e.span) if operand.type.kind in _WORDS else None
        case Select(cond, then, other) if e.type == F64:
            a, b = rounded_single(then), rounded_single(other)
            return None if a is None or b is None else Select(cond, a, b, span=e.span)
        case _:
            return None


def _narrow_expr(e: Expr) -> Expr | None:
    match e:
        case Cast(operand, Scalar() as to) if operand.type == F64:
            if to == F32:
                return rounded_single(operand)
            inner = exact_single(operand) if to.kind is not Kind.F64 else None
            return None if inner is None else Cast(inner, to, span=e.span)
        case Binary(op, lhs, rhs) if op in COMPARISONS and lhs.type == F64:
            a, b = exact_single(lhs), exact_single(rhs)
            return None if a is None or b is None else Binary(op, a, b, span=e.span)
        case _:
            return None


def _drop_vararg(s: Stmt) -> tuple[Stmt, ...] | None:
    """``printf`` promotes floats itself, so a double that is a float's value may be one."""
    if not isinstance(s, Effect):
        return None
    args = tuple(exact_single(a) or a for a in s.args)
    return None if args == s.args else (Effect(s.name, args, span=s.span, note=s.note),)


def narrow_doubles(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """The body with every provably innocuous use of double done in float."""
    return Rewriter(expr=_narrow_expr, stmt=_drop_vararg).body(body)


def holds_double(t: Type) -> bool:
    """True when a value or pointee of double precision is part of the type."""
    match t:
        case Scalar(kind):
            return kind is Kind.F64
        case Vector(element=element):
            return element.kind is Kind.F64
        case Pointer(pointee):
            return holds_double(pointee)
        case Array(element):
            return holds_double(element)
        case _:
            return False


def doubles_in(body: tuple[Stmt, ...]) -> Iterator[Expr | Stmt]:
    """Every node of the body that has or stores a double."""
    for s in walk_stmts(body):
        if isinstance(s, Declare) and holds_double(s.type):
            yield s
        for p in stmt_places(s):
            if holds_double(p.type):
                yield s
        for e in stmt_exprs(s):
            for sub in walk_expr(e):
                if holds_double(sub.type):
                    yield sub


def soft_double_note(kernel: Kernel, chip: Target) -> Diagnostic:
    """What the report says of a kernel whose doubles are done by integer arithmetic."""
    return Diagnostic(
        target.SOFT_DOUBLE,
        Outcome.EXACT,
        f"{kernel.name} computes in double precision, by integer arithmetic",
        kernel.span,
        kernel=kernel.symbol,
        target=chip.value,
    )
