"""Picks the lane axis of a kernel and names the lane.

``blockIdx.x * blockDim.x + threadIdx.x``, however it is spelled, is the lane's number when nothing
else in the kernel asks for ``blockIdx.x`` or ``threadIdx.x``: lanes then run over the whole grid
along ``x``. Otherwise lanes run over one block and ``blockIdx.x`` stays uniform.

Before::

    var i: i32 = cast<i32>(((blockIdx.x * blockDim.x) + threadIdx.x))

After::

    var i: i32 = cast<i32>(tile_lane)

Legal because a launch has fewer than 2**31 lanes along ``x`` (the launcher checks it): the sum does
not wrap, and every cast of it to 32 or 64 bits keeps its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Builtin,
    Call,
    Cast,
    Expr,
    IndexVar,
    PtrElem,
    Read,
    VarPlace,
)
from migrate.ir.simt import Assign, Continue, Declare, For, If, Stmt, While
from migrate.ir.tile import LANE, LaneAxis
from migrate.ir.types import U32, Pointer, Scalar, Space
from migrate.ir.walk import (
    Rewriter,
    all_exprs,
    assigned_names,
    stmt_exprs,
    sub_bodies,
    var_names,
    walk_expr,
    walk_stmts,
)

LANE_VALUE: Expr = Read(VarPlace(LANE, U32))
"""The lane's number as an expression."""


@dataclass(frozen=True, slots=True)
class Laned:
    """A body in which the lane is named, its axis, and what the source called the lane."""

    body: tuple[Stmt, ...]
    axis: LaneAxis
    name: str


def definitions(body: tuple[Stmt, ...], params: frozenset[str]) -> Mapping[str, Expr]:
    """Locals that always equal their initialiser, so that a use may be replaced by it.

    Integers and pointers, declared once, never assigned, computed from index variables, parameters
    and other such locals alone, without loads or calls.
    """
    assigned = assigned_names(body)
    found: dict[str, Expr] = {}
    for s in walk_stmts(body):
        if not isinstance(s, Declare) or s.init is None or s.name in assigned:
            continue
        number = isinstance(s.type, Scalar) and s.type.is_integer
        if not number and not isinstance(s.type, Pointer):
            continue
        if all(_steady(e, found, params - assigned) for e in walk_expr(s.init)):
            found[s.name] = expand(s.init, found)
    return found


def _steady(e: Expr, found: Mapping[str, Expr], params: frozenset[str]) -> bool:
    match e:
        case Call():
            return e.name in _MUL24
        case Read(VarPlace(name)):
            return name == LANE or name in found or name in params
        case Read():
            names = [x.place for x in walk_expr(e) if isinstance(x, Read)]
            return not any(isinstance(p, PtrElem) for p in names) and var_names(e) <= params
        case _:
            return True


def expand(e: Expr, found: Mapping[str, Expr]) -> Expr:
    """``e`` with the uses of such locals replaced by what they equal."""

    def rule(x: Expr) -> Expr | None:
        match x:
            case Read(VarPlace(name)) if name in found:
                return found[name]
            case _:
                return None

    return Rewriter(expr=rule).expr(e) if found else e


_MUL24 = frozenset({"__umul24", "__mul24"})


def _bare(e: Expr) -> Expr:
    """``e`` without integer conversions that keep the value of a number below 2**31."""
    while isinstance(e, Cast) and isinstance(e.type, Scalar) and e.type.bits >= 32:
        if not e.type.is_integer:
            break
        e = e.operand
    return e


def _is(e: Expr, builtin: Builtin, axis: str = "x") -> bool:
    return _bare(e) == IndexVar(builtin, axis)


def _is_block_start(e: Expr) -> bool:
    match _bare(e):
        case Binary(BinaryOp.MUL, a, b):
            pass
        case Call(name, (a, b)) if name in _MUL24:
            pass
        case _:
            return False
    return (_is(a, Builtin.BLOCK) and _is(b, Builtin.BLOCK_DIM)) or (
        _is(b, Builtin.BLOCK) and _is(a, Builtin.BLOCK_DIM)
    )


def _is_global_index(e: Expr) -> bool:
    match _bare(e):
        case Binary(BinaryOp.ADD, a, b):
            return (_is_block_start(a) and _is(b, Builtin.THREAD)) or (
                _is_block_start(b) and _is(a, Builtin.THREAD)
            )
        case _:
            return False


def _lane_as(kind: Scalar) -> Expr:
    return LANE_VALUE if kind == U32 else Cast(LANE_VALUE, kind)


def _name_global(body: tuple[Stmt, ...], known: Mapping[str, Expr]) -> tuple[Stmt, ...]:
    def rule(e: Expr) -> Expr | None:
        if not isinstance(e, Binary) or e.op is not BinaryOp.ADD:
            return None
        if isinstance(e.type, Scalar) and _is_global_index(expand(e, known)):
            return _lane_as(e.type)
        return None

    return Rewriter(expr=rule).body(body)


def drop_unused(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Without declarations of integers and pointers that nothing reads."""
    while True:
        used: set[str] = set()
        for e in all_exprs(body):
            used |= var_names(e) if isinstance(e, Read) else set()
        used |= {n for s in walk_stmts(body) for e in stmt_exprs(s) for n in var_names(e)}
        assigned = assigned_names(body)

        def rule(
            s: Stmt, used: set[str] = used, kept: frozenset[str] = assigned
        ) -> tuple[Stmt, ...] | None:
            match s:
                case Declare(name, Scalar() | Pointer(), _, Space.LOCAL) if (
                    name not in used and name not in kept
                ):
                    return ()
                case _:
                    return None

        smaller = Rewriter(stmt=rule).body(body)
        if smaller is body:
            return body
        body = smaller


def _leftover(body: tuple[Stmt, ...]) -> bool:
    return any(
        isinstance(e, IndexVar) and e.axis == "x" and e.builtin in (Builtin.THREAD, Builtin.BLOCK)
        for e in all_exprs(body)
    )


def name_lane(body: tuple[Stmt, ...], params: frozenset[str]) -> Laned:
    """The body with the lane named; the axis is the grid where that is possible."""
    named = drop_unused(_name_global(body, definitions(body, params)))
    if not _leftover(named):
        return Laned(named, LaneAxis.GRID, _lane_name(named))

    def rule(e: Expr) -> Expr | None:
        return LANE_VALUE if e == IndexVar(Builtin.THREAD, "x") else None

    blocked = Rewriter(expr=rule).body(body)
    return Laned(blocked, LaneAxis.BLOCK, _lane_name(blocked))


def _lane_name(body: tuple[Stmt, ...]) -> str:
    """What the source calls the lane's number, if it has a variable for it."""
    for s in walk_stmts(body):
        if isinstance(s, Declare) and s.init is not None and _bare(s.init) == LANE_VALUE:
            return s.name
    return "first"


def loops_with_heads(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Turns ``T i = a; ... while (c) { ...; i = e; }`` into a ``for`` where ``i`` ends with it.

    Legal when ``i`` is not used between its declaration and the loop nor after the loop, and the
    loop body has no ``continue`` of its own (the step would then run where it did not).
    """
    out = list(body)
    for at, s in enumerate(out):
        if isinstance(s, While):
            made = _headed(out, at, s)
            if made is not None:
                return loops_with_heads(made)
    return tuple(_inside(s) for s in out)


def _inside(s: Stmt) -> Stmt:
    if not any(isinstance(x, While) for b in sub_bodies(s) for x in walk_stmts(b)):
        return s
    match s:
        case While(_, inner):
            return replace(s, body=loops_with_heads(inner))
        case For(_, _, _, inner):
            return replace(s, body=loops_with_heads(inner))
        case If(_, then, other):
            return replace(s, then=loops_with_heads(then), other=loops_with_heads(other))
        case _:
            return s


def _headed(out: list[Stmt], at: int, loop: While) -> tuple[Stmt, ...] | None:
    if not loop.body or any(isinstance(x, Continue) for x in walk_stmts(loop.body)):
        return None
    last = loop.body[-1]
    if not isinstance(last, Assign) or not isinstance(last.place, VarPlace):
        return None
    name = last.place.name
    if name not in var_names(loop.cond):
        return None
    start = next(
        (k for k, d in enumerate(out[:at]) if isinstance(d, Declare) and d.name == name), None
    )
    if start is None:
        return None
    declared = out[start]
    outside = tuple(out[start + 1 : at]) + tuple(out[at + 1 :])
    mentioned = {n for e in all_exprs(outside) for n in var_names(e)} | assigned_names(outside)
    if name in mentioned or not isinstance(declared, Declare) or declared.init is None:
        return None
    between = assigned_names(tuple(out[start + 1 : at]))
    if var_names(declared.init) & between:
        return None
    head = For((declared,), loop.cond, (last,), loop.body[:-1], span=loop.span, note=loop.note)
    return (*out[:start], *out[start + 1 : at], head, *out[at + 1 :])
