"""Address spaces of local pointers, from what is assigned to them.

A local ``float* row = out + r * n`` points wherever ``out`` does. The space of such a variable is
the join of the spaces of all values that it is given; a variable that gets pointers of two spaces
stays generic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from migrate.ir.expr import (
    AddressOf,
    Cast,
    Expr,
    NullPtr,
    Place,
    PtrAdd,
    PtrElem,
    Read,
    Select,
    VarPlace,
)
from migrate.ir.simt import Assign, Declare, Stmt
from migrate.ir.types import Pointer, Space
from migrate.ir.walk import Rewriter, root, walk_stmts

_Env = dict[str, "Space | None"]


def infer_spaces(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Give local pointer variables the space that their values have.

    Before: ``var p: ptr<generic, f32> = padd(out, i)`` with ``out: ptr<global, f32>``.
    After: ``var p: ptr<global, f32> = padd(out, i)``.
    """
    values: dict[str, list[Expr]] = {}
    for s in walk_stmts(body):
        if isinstance(s, Declare) and isinstance(s.type, Pointer):
            if s.type.space is Space.GENERIC and s.space is Space.LOCAL:
                values.setdefault(s.name, [])
                if s.init is not None:
                    values[s.name].append(s.init)
    for s in walk_stmts(body):
        if isinstance(s, Assign) and isinstance(s.place, VarPlace) and s.place.name in values:
            values[s.place.name].append(s.value)
    if not values:
        return body
    env: _Env = dict.fromkeys(values)
    changed = True
    while changed:
        changed = False
        for name, exprs in values.items():
            found = env[name]
            for e in exprs:
                found = _join(found, _space(e, env))
            if found is not env[name]:
                env[name] = found
                changed = True
    known = {n: s for n, s in env.items() if s is not None and s is not Space.GENERIC}
    known = {n: s for n, s in known.items() if not _escapes(n, body)}
    return _retyped(body, known) if known else body


def _escapes(name: str, body: tuple[Stmt, ...]) -> bool:
    """Whether the variable's own address is taken, so that it may be set from elsewhere."""
    found = False

    def rule(e: Expr) -> Expr | None:
        nonlocal found
        if isinstance(e, AddressOf):
            base = root(e.place)
            if isinstance(base, VarPlace) and base.name == name:
                found = True
        return None

    Rewriter(expr=rule).body(body)
    return found


def _join(a: Space | None, b: Space | None) -> Space | None:
    if a is None:
        return b
    if b is None or a is b:
        return a
    return Space.GENERIC


def _space(e: Expr, env: _Env) -> Space | None:
    """The space of a pointer value; ``None`` while nothing is known of it."""
    match e:
        case NullPtr():
            return None
        case Read(VarPlace(name)) if name in env:
            return env[name]
        case Cast(operand) if isinstance(operand.type, Pointer):
            return _space(operand, env)
        case PtrAdd(pointer):
            return _space(pointer, env)
        case Select(_, then, other):
            return _join(_space(then, env), _space(other, env))
        case AddressOf(place):
            base = root(place)
            if isinstance(base, PtrElem):
                return _space(base.pointer, env)
            return e.type.space
        case _:
            return e.type.space if isinstance(e.type, Pointer) else Space.GENERIC


def _retyped(body: tuple[Stmt, ...], known: Mapping[str, Space]) -> tuple[Stmt, ...]:
    def place(p: Place) -> Place | None:
        match p:
            case VarPlace(name, Pointer() as kind) if name in known:
                return replace(p, type=replace(kind, space=known[name]))
            case _:
                return None

    def expr(e: Expr) -> Expr | None:
        match e:
            case Cast(operand, Pointer() as kind) if isinstance(operand.type, Pointer):
                space = operand.type.space
                return None if kind.space is space else replace(e, type=replace(kind, space=space))
            case AddressOf(p, kind):
                base = root(p)
                if isinstance(base, PtrElem) and isinstance(base.pointer.type, Pointer):
                    space = base.pointer.type.space
                    if kind.space is not space:
                        return replace(e, type=replace(kind, space=space))
                return None
            case _:
                return None

    def stmt(s: Stmt) -> tuple[Stmt, ...] | None:
        match s:
            case Declare(name, Pointer() as kind) if name in known:
                return (replace(s, type=replace(kind, space=known[name])),)
            case _:
                return None

    return Rewriter(expr=expr, place=place, stmt=stmt).body(body)
