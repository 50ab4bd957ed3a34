"""For TileLang: operands that it copies are bound first, in programs of tiles.

What :mod:`migrate.lifting.bind_operands` does to a kernel, step by step, and as legal: a body runs
for one element where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from typing_extensions import assert_never

from migrate.ir.expr import Expr
from migrate.ir.simt import Stmt
from migrate.ir.tile_code import (
    EachPoint,
    Either,
    Multiply,
    Once,
    Rounds,
    Serial,
    TileCode,
    TileStep,
    walk_tile_steps,
)
from migrate.ir.walk import all_exprs, assigned_names, declared_names
from migrate.lifting.bind_operands import Binder
from migrate.lifting.naming import Names


def bind_tiles(code: TileCode) -> TileCode | None:
    """The pass; see the module. None where a test between steps has such an operand."""
    taken = {p.name for p in code.params} | {v.name for v in code.variables}
    taken |= {t.name for t in code.tiles}
    mutable: set[str] = {v.name for v in code.variables}
    for s in walk_tile_steps(code.body):
        for body in _bodies(s):
            taken |= declared_names(body)
            mutable |= assigned_names(body)
    binder = Binder(Names(taken), frozenset(mutable))
    if any(binder.needs(e) for s in walk_tile_steps(code.body) for e in _tests(s)):
        return None
    return replace(code, body=_list(binder, code.body))


def _list(binder: Binder, steps: tuple[TileStep, ...]) -> tuple[TileStep, ...]:
    return tuple(_step(binder, s) for s in steps)


def _step(binder: Binder, s: TileStep) -> TileStep:
    match s:
        case EachPoint(_, _, body) | Once(body):
            return replace(s, body=binder.body(body, ()))
        case Either(_, then, other):
            return replace(s, then=_list(binder, then), other=_list(binder, other))
        case Serial(_, inner) | Rounds(_, inner):
            return replace(s, body=_list(binder, inner))
        case Multiply():
            return s
        case _:
            assert_never(s)


def _bodies(s: TileStep) -> tuple[tuple[Stmt, ...], ...]:
    match s:
        case EachPoint(_, _, body) | Once(body):
            return (body,)
        case Serial(loop):
            return ((loop,),)
        case _:
            return ()


def _tests(s: TileStep) -> Iterator[Expr]:
    match s:
        case Either(cond) | Rounds(cond):
            yield cond
        case Serial(loop):
            yield loop.cond
            yield from all_exprs((*loop.init, *loop.step))
        case _:
            pass
