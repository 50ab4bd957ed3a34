"""What is legal in the tile dialect. A fault found here is ours."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.core.codes.internal import INVALID_IR
from migrate.core.diagnostics import InternalError
from migrate.ir.expr import Builtin, Expr, IndexVar, Read, VarPlace
from migrate.ir.tile import (
    LANE,
    Apply,
    Choose,
    Clip,
    Compare,
    CopyIn,
    CopyOut,
    LaneAxis,
    LaneLoop,
    Map,
    MapOp,
    TileFor,
    TileIf,
    TileKernel,
    TileRef,
    TileScope,
    TileStmt,
    TileWhile,
    Uniform,
    tile_bodies,
    uses_of,
)
from migrate.ir.types import BOOL
from migrate.ir.walk import all_exprs, walk_expr


def verify_tiles(k: TileKernel) -> None:
    """Raises :class:`InternalError` (CM9001) for the first fault of a tile program."""
    fault = next(_faults(k), None)
    if fault is not None:
        raise InternalError(INVALID_IR, f"tile program of {k.symbol}: {fault}")


def _faults(k: TileKernel) -> Iterator[str]:
    names = [t.name for t in k.tiles]
    if len(set(names)) != len(names):
        yield "a tile is declared twice"
    for t in k.tiles:
        if (t.scope is TileScope.MASK) != (t.type == BOOL):
            yield f"{t.name} is a mask in one way only"
    for s in (*k.prologue, *k.body):
        yield from _statement(k, s)


def _statement(k: TileKernel, s: TileStmt) -> Iterator[str]:
    known = {t.name: t for t in k.tiles}
    for ref in (*uses_of(s), *_written(s)):
        if ref.name not in known:
            yield f"{ref.name} is not declared"
            return
        if ref.type.bits != known[ref.name].type.bits:
            yield f"{ref.name} is read as {ref.type}, which has another width"
    match s:
        case CopyIn(tile) if known[tile.name].scope is not TileScope.IN:
            yield f"{tile.name} is filled by memory but is no input"
        case CopyOut(_, _, tile) if known[tile.name].scope is not TileScope.OUT:
            yield f"{tile.name} goes to memory but is no output"
        case Compare(mask, _, lhs, rhs):
            if mask.type != BOOL or lhs.type != rhs.type:
                yield f"comparison of {lhs.type} and {rhs.type} into {mask.type}"
        case Choose(dst, mask, then, other):
            if mask.type != BOOL or not dst.type == then.type == other.type:
                yield f"choice of {then.type} and {other.type} into {dst.type}"
        case Map(dst, op, args) if op not in (MapOp.CONVERT, MapOp.SHL, MapOp.SHR):
            if any(a.type != dst.type for a in args):
                yield f"{op.value} mixes types"
        case LaneLoop(_, reads, writes):
            missing = [n for n in (*reads, *writes) if n not in known]
            if missing:
                yield f"{missing[0]} is not declared"
        case _:
            pass
    for e in _exprs(s):
        yield from _expression(k, e, inside=isinstance(s, LaneLoop))
    for body in tile_bodies(s):
        for inner in body:
            yield from _statement(k, inner)


def _written(s: TileStmt) -> tuple[TileRef, ...]:
    match s:
        case CopyIn(ref) | Map(ref) | Compare(ref) | Choose(ref):
            return (ref,)
        case Apply(ref, _, _, scratch):
            return (ref, *scratch)
        case _:
            return ()


def _exprs(s: TileStmt) -> tuple[Expr, ...]:
    match s:
        case CopyIn(_, pointer, index) | CopyOut(pointer, index):
            return (pointer, index)
        case Map(_, _, args) | Apply(_, _, args):
            return tuple(a for a in args if not isinstance(a, TileRef))
        case LaneLoop(body):
            return tuple(all_exprs(body))
        case Uniform(stmt):
            return tuple(all_exprs((stmt,)))
        case TileIf(cond) | TileFor(_, cond) | TileWhile(cond):
            return (cond,)
        case Clip(skip, keep):
            return tuple(e for e in (skip, keep) if e is not None)
        case _:
            return ()


def _expression(k: TileKernel, e: Expr, *, inside: bool) -> Iterator[str]:
    tiles = {t.name for t in k.tiles}
    for x in walk_expr(e):
        match x:
            case Read(VarPlace(name)) if name == LANE and not inside:
                yield "the lane's number stands outside of a lane loop"
            case Read(VarPlace(name)) if name in tiles and not inside:
                yield f"tile {name} stands in a uniform expression"
            case IndexVar(Builtin.THREAD, "x"):
                yield "threadIdx.x is the lane"
            case IndexVar(Builtin.BLOCK, "x") if k.axis is LaneAxis.GRID:
                yield "blockIdx.x is part of the lane"
            case _:
                pass
