"""Tidies a tile program: what is dead goes, what does not change leaves the loop over runs."""

from __future__ import annotations

from dataclasses import replace

from migrate.ir.expr import Binary, BinaryOp, Builtin, Cast, Expr, IndexVar, PtrElem, Read, VarPlace
from migrate.ir.simt import Assign, Declare, Stmt
from migrate.ir.tile import (
    Apply,
    Choose,
    Clip,
    Compare,
    CopyIn,
    CopyOut,
    LaneLoop,
    Map,
    TileFor,
    TileIf,
    TileKernel,
    TileRef,
    TileStmt,
    TileWhile,
    Uniform,
    tile_bodies,
    uses_of,
)
from migrate.ir.types import I64
from migrate.ir.walk import all_exprs, assigned_names, root, var_names, walk_expr
from migrate.lifting.tile_guards import FIRST_VALUE


def _mentioned(stmts: tuple[TileStmt, ...]) -> set[str]:
    """Scalars that a tile program reads."""
    found: set[str] = set()

    for s in stmts:
        match s:
            case CopyIn(_, pointer, index) | CopyOut(pointer, index):
                found |= var_names(pointer) | var_names(index)
            case Map(_, _, args) | Apply(_, _, args):
                for a in args:
                    _see_operand(a, found)
            case Compare(_, _, _, rhs):
                _see_operand(rhs, found)
            case Choose(_, _, then, other):
                _see_operand(then, found)
                _see_operand(other, found)
            case LaneLoop(body):
                found |= {n for e in all_exprs(body) for n in var_names(e)}
            case Uniform(stmt):
                found |= {n for e in all_exprs((stmt,)) for n in var_names(e)}
                if isinstance(stmt, Assign):
                    found |= {n for e in walk_expr(stmt.value) for n in var_names(e)}
            case TileIf(cond) | TileFor(_, cond) | TileWhile(cond):
                found |= var_names(cond)
            case Clip(skip, keep):
                for e in (skip, keep):
                    found |= set() if e is None else var_names(e)
            case _:
                pass
        for inner in tile_bodies(s):
            found |= _mentioned(inner)
    return found


def _see_operand(a: object, found: set[str]) -> None:
    if not isinstance(a, TileRef):
        assert isinstance(a, Expr)
        found.update(var_names(a))


def without_dead(body: tuple[TileStmt, ...]) -> tuple[TileStmt, ...]:
    """Without scalars that nothing reads, and without the assignments to them."""
    while True:
        used = _mentioned(body) | _kept_targets(body)
        smaller = _keep(body, used)
        if smaller == body:
            return body
        body = smaller


def _kept_targets(body: tuple[TileStmt, ...]) -> set[str]:
    """What is assigned where assignments stay: in lane loops and loop heads; and what is global."""
    stmts = every(body)
    local = {s.stmt.name for s in stmts if isinstance(s, Uniform) and isinstance(s.stmt, Declare)}
    found: set[str] = set()
    for s in stmts:
        match s:
            case LaneLoop(inner):
                found |= assigned_names(inner)
            case TileFor():
                for u in (*s.init, *s.step):
                    found |= assigned_names((u.stmt,)) if isinstance(u, Uniform) else set()
            case Uniform(stmt):
                found |= assigned_names((stmt,)) - local
            case _:
                pass
    return found


def _keep(body: tuple[TileStmt, ...], used: set[str]) -> tuple[TileStmt, ...]:
    out: list[TileStmt] = []
    for s in body:
        match s:
            case Uniform(Declare(name) | Assign(VarPlace(name))) if name not in used:
                continue
            case TileIf(_, then, other):
                out.append(replace(s, then=_keep(then, used), other=_keep(other, used)))
            case TileFor(body=inner):
                out.append(replace(s, body=_keep(inner, used)))
            case TileWhile(body=inner) | Clip(body=inner):
                out.append(replace(s, body=_keep(inner, used)))
            case _:
                out.append(s)
    return tuple(out)


def fused(body: tuple[TileStmt, ...]) -> tuple[TileStmt, ...]:
    """Neighbouring lane loops become one.

    Legal because lanes are different threads: what one does in the second loop is not ordered with
    what another does in the first, and each lane keeps its own order.
    """
    out: list[TileStmt] = []
    for s in body:
        last = out[-1] if out else None
        if isinstance(s, LaneLoop) and isinstance(last, LaneLoop):
            reads = tuple(sorted({*last.reads, *s.reads}))
            writes = tuple(sorted({*last.writes, *s.writes}))
            both = (*last.body, *_noted(s))
            fresh = last.fresh or s.fresh
            out[-1] = replace(last, body=both, reads=reads, writes=writes, fresh=fresh)
            continue
        out.append(_inside(s))
    return tuple(out)


def _noted(s: LaneLoop) -> tuple[Stmt, ...]:
    head = s.body[0]
    return (replace(head, note=head.note or s.note), *s.body[1:])


def _inside(s: TileStmt) -> TileStmt:
    match s:
        case TileIf(_, then, other):
            return replace(s, then=fused(then), other=fused(other))
        case TileFor(body=body):
            return replace(s, body=fused(body))
        case TileWhile(body=body) | Clip(body=body):
            return replace(s, body=fused(body))
        case _:
            return s


def hoist(k: TileKernel) -> TileKernel:
    """Moves what does not depend on the run out of the loop over runs.

    Leading declarations that read parameters and launch sizes alone go to the prologue; a guard
    ``lane < n`` around all of the body becomes the number of lanes.
    """
    prologue: list[Uniform] = []
    known = {p.name for p in k.params}
    rest = list(k.body)
    assigned = {
        n for s in every(k.body) if isinstance(s, Uniform) for n in assigned_names((s.stmt,))
    }
    while rest:
        s = rest[0]
        if not isinstance(s, Uniform) or not isinstance(s.stmt, Declare) or s.fresh:
            break
        if s.stmt.init is None or s.stmt.name in assigned or not _grid_wide(s.stmt.init, known):
            break
        prologue.append(s)
        known.add(s.stmt.name)
        rest.pop(0)
    body, limit = _limited(tuple(rest), known)
    return replace(k, prologue=tuple(prologue), body=body, limit=limit)


def every(body: tuple[TileStmt, ...]) -> list[TileStmt]:
    """All statements, outer before inner."""
    return [x for s in body for x in (s, *(y for b in tile_bodies(s) for y in every(b)))]


def _grid_wide(e: Expr, known: set[str]) -> bool:
    """True when ``e`` has one value in the whole launch and reads no memory."""
    for x in walk_expr(e):
        if isinstance(x, IndexVar) and x.builtin in (Builtin.THREAD, Builtin.BLOCK):
            return False
        if isinstance(x, Read) and not isinstance(x.place, VarPlace):
            if isinstance(root(x.place), PtrElem):
                return False
    return var_names(e) <= known


def _limited(
    body: tuple[TileStmt, ...], known: set[str]
) -> tuple[tuple[TileStmt, ...], Expr | None]:
    """The body without the guard around its end, and the guard's limit on the lane.

    What stands before the guard are declarations of scalars that fault for no value; they need not
    run for lanes that do nothing.
    """
    head: list[TileStmt] = []
    for s in body[:-1]:
        if not isinstance(s, Uniform) or not isinstance(s.stmt, Declare):
            return body, None
        if any(isinstance(e, Read) and _in_memory(e) for e in all_exprs((s.stmt,))):
            return body, None
        head.append(s)
    match body[len(head) :]:
        case (Clip(None, Binary(BinaryOp.SUB, edge, Cast(first, kind)), inner),) if (
            kind == I64 and first == FIRST_VALUE and _grid_wide(edge, known)
        ):
            return (*head, *inner), edge
        case (TileIf(_, then, ()) as branch,):
            inner, limit = _limited(then, known)
            return (body, None) if limit is None else ((*head, replace(branch, then=inner)), limit)
        case _:
            return body, None


def _in_memory(e: Read) -> bool:
    return isinstance(root(e.place), PtrElem)


def pruned(k: TileKernel) -> TileKernel:
    """Without tiles that nothing uses (left over from attempts)."""
    used: set[str] = set()
    for s in every(k.body):
        used |= tile_names(s)
    return replace(k, tiles=tuple(d for d in k.tiles if d.name in used))


def tile_names(s: TileStmt) -> set[str]:
    """The tiles that a statement itself reads or writes."""
    found = {r.name for r in uses_of(s)}
    match s:
        case CopyIn(tile):
            found.add(tile.name)
        case Map(dst) | Choose(dst):
            found.add(dst.name)
        case Apply(dst, _, _, scratch):
            found |= {dst.name, *(x.name for x in scratch)}
        case Compare(mask):
            found.add(mask.name)
        case LaneLoop(_, reads, writes):
            found |= {*reads, *writes}
        case _:
            pass
    return found
