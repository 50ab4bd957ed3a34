"""Double precision on a chip whose vector unit has none.

What can be done in float without changing a bit always is (:mod:`migrate.analysis.doubles`). With
``--double fp32`` the rest is computed in single precision too: memory and parameters keep their
doubles, each value is rounded when it is loaded and widened when it is stored::

    y[i] = (y[i] + (alpha * x[i]))                                  (f64)
    y[i] = cast<f64>((cast<f32>(y[i]) + (cast<f32>(alpha) * cast<f32>(x[i]))))
"""

from __future__ import annotations

from dataclasses import replace

from migrate.ir.expr import Bitcast, Call, Cast, Const, Expr, Place, Read, VarPlace
from migrate.ir.kernel import Kernel
from migrate.ir.simt import Assign, Atomic, Declare, Stmt
from migrate.ir.types import F32, F64, Array, Pointer, Type
from migrate.ir.walk import Rewriter, all_exprs, walk_stmts


def double_use(kernel: Kernel) -> Stmt | Expr | None:
    """The first node that has or stores a double, if any."""
    for s in walk_stmts(kernel.body):
        if isinstance(s, Declare) and _element(s.type) == F64:
            return s
        if isinstance(s, Assign | Atomic) and s.place.type == F64:
            return s
    for e in all_exprs(kernel.body):
        if e.type == F64:
            return e
    return None


def single_precision(kernel: Kernel) -> Kernel | None:
    """The kernel with all arithmetic in float; nothing where bits of a double are looked at."""
    for s in walk_stmts(kernel.body):
        if isinstance(s, Atomic) and s.place.type == F64:
            return None
    if any(
        isinstance(e, Bitcast) and F64 in (e.type, e.operand.type) for e in all_exprs(kernel.body)
    ):
        return None
    local = {s.name for s in walk_stmts(kernel.body) if isinstance(s, Declare)}

    def place(p: Place) -> Place | None:
        match p:
            case VarPlace(name, kind) if name in local and _element(kind) == F64:
                return VarPlace(name, _narrow(kind), span=p.span)
            case _:
                return None

    def stmt(s: Stmt) -> tuple[Stmt, ...] | None:
        match s:
            case Declare(type=kind) if _element(kind) == F64:
                return (replace(s, type=_narrow(kind)),)
            case Assign(target, value) if target.type == F64 and value.type == F32:
                return (replace(s, value=Cast(value, F64)),)
            case _:
                return None

    return replace(kernel, body=Rewriter(expr=_single, place=place, stmt=stmt).body(kernel.body))


def _single(e: Expr) -> Expr | None:
    match e:
        case Read(p) if p.type == F64:
            return Cast(e, F32, span=e.span)
        case Const(value, kind) if kind == F64:
            return Const(float(value), F32, span=e.span)
        case Cast(operand, kind) if kind == F64:
            return operand if operand.type == F32 else replace(e, type=F32)
        case Cast(operand, kind) if operand.type == F32 and kind == F32:
            return operand
        case Call(_, _, kind) if kind == F64:
            return replace(e, type=F32)
        case _:
            return None


def _element(kind: Type) -> Type:
    while isinstance(kind, Array):
        kind = kind.element
    return kind


def _narrow(kind: Type) -> Type:
    match kind:
        case Array(element, length):
            return Array(_narrow(element), length)
        case Pointer():
            return kind
        case _:
            return F32 if kind == F64 else kind
