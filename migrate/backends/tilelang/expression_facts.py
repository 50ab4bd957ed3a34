"""What can be said of an expression without spelling it."""

from __future__ import annotations

import math
import struct

from migrate.analysis.launch_axes import AXES, global_count, global_index
from migrate.backends.tilelang.unspellable import Unspellable
from migrate.core.codes import lifting as lifting_codes
from migrate.core.span import NO_SPAN
from migrate.ir.expr import (
    COMPARISONS,
    ArrElem,
    Binary,
    BinaryOp,
    Builtin,
    Cast,
    Const,
    Expr,
    FieldPlace,
    IndexVar,
    Place,
    PtrElem,
    Read,
    VarPlace,
)
from migrate.ir.simt import Declare, Stmt
from migrate.ir.types import I32, U32, Kind, Scalar, Type
from migrate.ir.walk import all_exprs, stmt_places, var_names, walk_expr, walk_stmts


def scalar(kind: Type) -> Scalar:
    """The scalar type; other types are not left in normal form."""
    if not isinstance(kind, Scalar):
        raise Unspellable(lifting_codes.UNSPLIT_VALUE, f"a {kind} is left", NO_SPAN)
    return kind


def small(e: Expr) -> bool:
    """Whether a u32 value is below 2^31 for sure (launches are limited to that).

    One less than the size of a block or grid is: a thread that runs has one of each at least.
    """
    if any(e in (global_index(a), global_count(a)) for a in AXES):
        return True
    match e:
        case IndexVar():
            return True
        case Binary(BinaryOp.SUB, IndexVar(Builtin.BLOCK_DIM | Builtin.GRID_DIM), Const(1)):
            return True
        case Const(value):
            return 0 <= int(value) < 1 << 31
        case Cast(operand, kind) if kind == U32:
            inner = operand.type
            return isinstance(inner, Scalar) and not inner.is_signed and inner.bits < 32
        case Binary(BinaryOp.DIV, lhs, _):
            return small(lhs)
        case Binary(BinaryOp.REM, lhs, rhs):
            return small(lhs) or small(rhs)
        case Binary(BinaryOp.SHR, lhs, _):
            return small(lhs)
        case Binary(BinaryOp.AND, lhs, rhs):
            return small(lhs) or small(rhs)
        case _:
            return False


def hidden_indices(body: tuple[Stmt, ...], mutable: frozenset[str]) -> frozenset[str]:
    """Variables assigned once that TileLang must not put into an index in their value's place: an
    unsigned value taken as signed. Where an index may leave 32 bits TileLang computes it in 64,
    the operand of ``T.reinterpret`` with it, and then rejects its own work (0.1.15)."""
    values = {
        s.name: s.init
        for s in walk_stmts(body)
        if isinstance(s, Declare) and s.init is not None and s.name not in mutable
    }
    reached: set[str] = set()
    todo = [n for e in all_exprs(body) if isinstance(e, Read) for n in _index_names(e.place)]
    todo += [n for s in walk_stmts(body) for p in stmt_places(s) for n in _index_names(p)]
    while todo:
        name = todo.pop()
        if name not in reached and name in values:
            reached.add(name)
            todo += var_names(values[name])
    return frozenset(n for n in reached if any(map(_reinterprets, walk_expr(values[n]))))


def _index_names(p: Place) -> frozenset[str]:
    match p:
        case PtrElem(_, index):
            return var_names(index)
        case ArrElem(base, index):
            return _index_names(base) | var_names(index)
        case _:
            return frozenset()


def _reinterprets(e: Expr) -> bool:
    match e:
        case Cast(operand, kind) if kind == I32 and operand.type == U32:
            if isinstance(operand, Binary) and operand.op in (BinaryOp.DIV, BinaryOp.REM):
                # one small side makes the result small, and the other one is reinterpreted
                return not (small(operand.lhs) and small(operand.rhs))
            plain = isinstance(operand, Cast) and operand.operand.type == I32
            return not plain and not small(operand)
        case _:
            return False


def compares_floats(e: Expr) -> bool:
    """Whether the truth of an expression rests on an ordering of floats."""
    for x in walk_expr(e):
        if isinstance(x, Binary) and x.op in COMPARISONS:
            if isinstance(x.lhs.type, Scalar) and x.lhs.type.is_float:
                return True
    return False


def reads_nothing(e: Expr) -> bool:
    """Whether TileLang can put a value in place of its variable: loads stay where they are."""
    return not any(isinstance(x, Read) and isinstance(x.place, PtrElem) for x in walk_expr(e))


def wraps(e: Binary, kind: Scalar) -> bool:
    """A product with a constant so large that it is meant to wrap (a hash)."""
    if kind != I32 or e.op is not BinaryOp.MUL:
        return False
    return any(isinstance(x, Const) and abs(int(x.value)) > 46340 for x in (e.lhs, e.rhs))


def leaves(e: Expr) -> frozenset[str]:
    """Names and constants that an expression is made of."""
    found: set[str] = set()
    for x in walk_expr(e):
        match x:
            case Read(VarPlace(name)):
                found.add(name)
            case Read(ArrElem(VarPlace(name), _)) | Read(FieldPlace(VarPlace(name))):
                found.add(name)
            case IndexVar(builtin, axis):
                found.add(f"{builtin.value}.{axis}")
            case _:
                pass
    return frozenset(found)


def same_bits(c: Const, target: Scalar) -> Const:
    """A constant as one of another type with the same bits."""
    codes_ = {
        Kind.I32: "i", Kind.U32: "I", Kind.F32: "f", Kind.I64: "q", Kind.U64: "Q", Kind.F64: "d",
        Kind.F16: "e", Kind.I16: "h", Kind.U16: "H",
    }  # fmt: skip
    packed = struct.pack(f"<{codes_[c.type.kind]}", c.value)
    (value,) = struct.unpack(f"<{codes_[target.kind]}", packed)
    return Const(value, target, span=c.span)


def exact_in_seven_digits(value: float, kind: Scalar) -> bool:
    """Whether ``%.6e`` gives the constant back in its type."""
    if not math.isfinite(value):
        return True
    printed = float(f"{value:.6e}")
    if kind.kind is Kind.F64:
        return printed == value
    (back,) = struct.unpack("<f", struct.pack("<f", printed))
    return bool(back == value)


def float_literal(value: float, kind: Scalar) -> str:
    """The shortest digits that name the value in its type."""
    if kind.kind is Kind.F64:
        return repr(value)
    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        if struct.pack("<f", float(text)) == struct.pack("<f", value):
            return repr(float(text))
    return repr(value)
