"""Exact constant folding, and the arithmetic helpers that other passes build indices with.

    (2:i32 * 3:i32)          6:i32
    cast<f32>(1:i32)         1.0:f32
    cast<i32>(7:u32)         7:i32
    (x + 0:i32)              x            (integers only: -0.0 + 0.0 is 0.0)
    true && c                c

Legal because every folded operation gives the value that the target gives: integers wrap at their
width, floats are rounded to their type after each operation, and a cast from float to integer is
folded only when the value fits.
"""

from __future__ import annotations

import math
from dataclasses import replace

from migrate.analysis.constants import Value, const, wrap
from migrate.core.diagnostics import Sink
from migrate.ir.expr import Binary, BinaryOp, Cast, Const, Expr, Select, Unary, UnaryOp
from migrate.ir.kernel import Kernel, Module
from migrate.ir.types import BOOL, I32, I64, Scalar
from migrate.ir.walk import Rewriter


def _divide(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a >= 0) == (b >= 0) else -q


def _integer(op: BinaryOp, a: int, b: int, kind: Scalar) -> int | None:
    match op:
        case BinaryOp.ADD:
            return a + b
        case BinaryOp.SUB:
            return a - b
        case BinaryOp.MUL:
            return a * b
        case BinaryOp.DIV:
            return None if b == 0 else _divide(a, b)
        case BinaryOp.REM:
            return None if b == 0 else a - _divide(a, b) * b
        case BinaryOp.SHL:
            return a << b if 0 <= b < kind.bits else None
        case BinaryOp.SHR:
            return a >> b if 0 <= b < kind.bits else None
        case BinaryOp.AND:
            return a & b
        case BinaryOp.OR:
            return a | b
        case BinaryOp.XOR:
            return a ^ b
        case _:
            return None


def _float(op: BinaryOp, a: float, b: float) -> float | None:
    """In double: exact enough for one correct rounding to any narrower type."""
    match op:
        case BinaryOp.ADD:
            return a + b
        case BinaryOp.SUB:
            return a - b
        case BinaryOp.MUL:
            return a * b
        case BinaryOp.DIV if b != 0:
            return a / b
        case _:
            return None


def _compare(op: BinaryOp, a: Value, b: Value) -> bool | None:
    match op:
        case BinaryOp.LT:
            return a < b
        case BinaryOp.LE:
            return a <= b
        case BinaryOp.GT:
            return a > b
        case BinaryOp.GE:
            return a >= b
        case BinaryOp.EQ:
            return a == b
        case BinaryOp.NE:
            return a != b
        case _:
            return None


def fold_binary(e: Binary) -> Expr | None:
    """The folded operator, or ``None`` when nothing is known."""
    lhs, rhs = e.lhs, e.rhs
    if e.op is BinaryOp.LAND and isinstance(lhs, Const):
        return rhs if lhs.value else Const(False, BOOL)
    if e.op is BinaryOp.LOR and isinstance(lhs, Const):
        return Const(True, BOOL) if lhs.value else rhs
    kind = lhs.type
    if not isinstance(kind, Scalar):
        return None
    if isinstance(lhs, Const) and isinstance(rhs, Const):
        compared = _compare(e.op, lhs.value, rhs.value)
        if compared is not None:
            return Const(compared, BOOL, span=e.span)
        if kind.is_float:
            value = _float(e.op, float(lhs.value), float(rhs.value))
            return None if value is None else const(value, kind)
        if kind.is_integer:
            whole = _integer(e.op, int(lhs.value), int(rhs.value), kind)
            return None if whole is None else const(whole, kind)
        return None
    if not kind.is_integer:
        return None
    return _identity(e, lhs, rhs)


def _identity(e: Binary, lhs: Expr, rhs: Expr) -> Expr | None:
    """Neutral elements of integer operators."""
    if isinstance(rhs, Const):
        if rhs.value == 0 and e.op in (
            BinaryOp.ADD, BinaryOp.SUB, BinaryOp.SHL, BinaryOp.SHR, BinaryOp.OR, BinaryOp.XOR,
        ):  # fmt: skip
            return lhs
        if rhs.value == 1 and e.op in (BinaryOp.MUL, BinaryOp.DIV):
            return lhs
        if rhs.value == 0 and e.op in (BinaryOp.MUL, BinaryOp.AND):
            return rhs
    if isinstance(lhs, Const):
        if lhs.value == 0 and e.op in (BinaryOp.ADD, BinaryOp.OR, BinaryOp.XOR):
            return rhs
        if lhs.value == 1 and e.op is BinaryOp.MUL:
            return rhs
        if lhs.value == 0 and e.op in (BinaryOp.MUL, BinaryOp.AND):
            return lhs
    return None


def fold_cast(e: Cast) -> Expr | None:
    """A cast of a constant, or to the operand's own type."""
    if e.operand.type == e.type:
        return e.operand
    if not isinstance(e.operand, Const) or not isinstance(e.type, Scalar):
        return None
    value, source, target = e.operand.value, e.operand.type, e.type
    if source.is_float and not target.is_float:
        if target == BOOL:
            return Const(value != 0, BOOL)
        if not math.isfinite(value) or wrap(int(value), target) != int(value):
            return None
    if not source.is_float and target.is_float and abs(int(value)) > 1 << 53:
        return None
    return const(value, target)


def fold_expr(e: Expr) -> Expr | None:
    """One node, its operands folded already."""
    match e:
        case Binary():
            return fold_binary(e)
        case Cast():
            return fold_cast(e)
        case Unary(UnaryOp.NEG, Const(value, kind)):
            return const(-value, kind)
        case Unary(UnaryOp.NOT, Const(value)):
            return Const(not value, BOOL)
        case Unary(UnaryOp.BITNOT, Const(value, kind)):
            return const(~int(value), kind)
        case Select(Const(value), then, other):
            return then if value else other
        case _:
            return None


def fold_constants(kernel: Kernel, _: Module, __: Sink) -> Kernel:
    """The pass; see the module."""
    body = Rewriter(expr=fold_expr).body(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


# --- index arithmetic -------------------------------------------------------------------------


def as_type(e: Expr, kind: Scalar) -> Expr:
    """``e`` converted to ``kind``."""
    if e.type == kind:
        return e
    cast = Cast(e, kind, span=e.span)
    return fold_cast(cast) or cast


def common_index(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """Two indices in one type: their own when it is the same, else i64."""
    if a.type == b.type:
        return a, b
    if isinstance(a, Const) and isinstance(b.type, Scalar) and _fits(a, b.type):
        return const(a.value, b.type), b
    if isinstance(b, Const) and isinstance(a.type, Scalar) and _fits(b, a.type):
        return a, const(b.value, a.type)
    return as_type(a, I64), as_type(b, I64)


def _fits(c: Const, kind: Scalar) -> bool:
    return wrap(int(c.value), kind) == c.value


def index_type(e: Expr) -> Expr:
    """An index in a type of at least 32 bits (narrower ones have been promoted by C anyway)."""
    if not isinstance(e.type, Scalar):
        raise TypeError("an index is an integer")
    return e if e.type.bits >= 32 else as_type(e, I32)


def add(a: Expr, b: Expr) -> Expr:
    """``a + b`` of two indices, folded."""
    x, y = common_index(index_type(a), index_type(b))
    e = Binary(BinaryOp.ADD, x, y, span=a.span)
    return fold_binary(e) or e


def scaled(e: Expr, factor: int) -> Expr:
    """``e * factor`` of an index, folded."""
    e = index_type(e)
    if not isinstance(e.type, Scalar):
        raise TypeError("an index is an integer")
    product = Binary(BinaryOp.MUL, e, const(factor, e.type), span=e.span)
    return fold_binary(product) or product
