"""Which built-in index variables a tile program reads."""

from __future__ import annotations

from typing_extensions import assert_never

from migrate.ir.expr import Builtin, Expr, IndexVar
from migrate.ir.tile import (
    Apply,
    Choose,
    Clip,
    Compare,
    CopyIn,
    CopyOut,
    LaneLoop,
    Map,
    TileBreak,
    TileContinue,
    TileFor,
    TileIf,
    TileKernel,
    TileRef,
    TileStmt,
    TileWhile,
    Uniform,
    tile_bodies,
)
from migrate.ir.walk import all_exprs, walk_expr


def index_vars(k: TileKernel) -> tuple[IndexVar, ...]:
    """The built-in index variables that a program reads, in CUDA's order."""
    found: set[IndexVar] = set()
    for e in _exprs_of(k):
        found |= {x for x in walk_expr(e) if isinstance(x, IndexVar)}
    order = [Builtin.GRID_DIM, Builtin.BLOCK_DIM, Builtin.BLOCK, Builtin.THREAD]
    return tuple(sorted(found, key=lambda v: (order.index(v.builtin), v.axis)))


def _exprs_of(k: TileKernel) -> tuple[Expr, ...]:
    found: list[Expr] = [] if k.limit is None else [k.limit]
    for s in (*k.prologue, *walk_tiles(k.body)):
        match s:
            case CopyIn(_, pointer, index) | CopyOut(pointer, index):
                found += [pointer, index]
            case Map(_, _, args) | Apply(_, _, args):
                found += [a for a in args if not isinstance(a, TileRef)]
            case Compare(_, _, _, rhs):
                found += [] if isinstance(rhs, TileRef) else [rhs]
            case Choose(_, _, then, other):
                found += [a for a in (then, other) if not isinstance(a, TileRef)]
            case LaneLoop(body):
                found += list(all_exprs(body))
            case Uniform(stmt):
                found += list(all_exprs((stmt,)))
            case TileIf(cond) | TileFor(_, cond) | TileWhile(cond):
                found.append(cond)
            case Clip(skip, keep):
                found += [e for e in (skip, keep) if e is not None]
            case TileBreak() | TileContinue():
                pass
            case _:
                assert_never(s)
    return tuple(found)


def walk_tiles(body: tuple[TileStmt, ...]) -> list[TileStmt]:
    """All statements, outer before inner."""
    return [x for s in body for x in (s, *(y for b in tile_bodies(s) for y in walk_tiles(b)))]
