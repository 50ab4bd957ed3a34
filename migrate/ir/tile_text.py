"""Tile programs as text, for dumps and tests.

::

    tile saxpy over grid lanes i limit cast<i64>(n)
      in x_tile: f32
      out y_out: f32
      x_tile = copy_in x[cast<i32>(tile_first)]
      y_out = mul x_tile, a
      copy_out y[cast<i32>(tile_first)] = y_out
"""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import assert_never

from migrate.ir.printer import INDENT, print_expr, print_stmts
from migrate.ir.tile import (
    Apply,
    Choose,
    Clip,
    Compare,
    CopyIn,
    CopyOut,
    LaneLoop,
    Map,
    Operand,
    TileBreak,
    TileContinue,
    TileFor,
    TileIf,
    TileKernel,
    TileRef,
    TileStmt,
    TileWhile,
    Uniform,
)


def print_tile_kernel(k: TileKernel) -> str:
    """A whole tile program, ending with a newline."""
    limit = "" if k.limit is None else f" limit {print_expr(k.limit)}"
    single = " single_core" if k.single_core else ""
    lines = [f"tile {k.symbol} over {k.axis.value} lanes {k.lane_name}{limit}{single}"]
    lines += [f"{INDENT}{t.scope.value} {t.name}: {t.type}" for t in k.tiles]
    for once in k.prologue:
        lines += _lines(once, 1, "once ")
    for s in k.body:
        lines += _lines(s, 1)
    return "\n".join(lines) + "\n"


def _operand(x: Operand) -> str:
    if isinstance(x, TileRef):
        return f"{x.name}:{x.type}"
    return print_expr(x)


def _operands(args: tuple[Operand, ...]) -> str:
    return ", ".join(_operand(a) for a in args)


def _block(head: str, body: tuple[TileStmt, ...], depth: int) -> Iterator[str]:
    yield f"{INDENT * depth}{head} {{"
    for s in body:
        yield from _lines(s, depth + 1)
    yield f"{INDENT * depth}}}"


def _lines(s: TileStmt, depth: int, mark: str = "") -> Iterator[str]:
    pad = INDENT * depth
    match s:
        case TileIf(cond, then, other):
            yield from _block(f"if {print_expr(cond)}", then, depth)
            if other:
                yield from _block("else", other, depth)
        case TileFor(init, cond, step, body):
            yield from _block("for init", init, depth)
            yield from _block(f"while {print_expr(cond)}", body, depth)
            yield from _block("step", step, depth)
        case TileWhile(cond, body, at_end):
            head = "do" if at_end else "while"
            yield from _block(f"{head} {print_expr(cond)}", body, depth)
        case Clip(skip, keep, body):
            low = "" if skip is None else f" skip {print_expr(skip)}"
            high = "" if keep is None else f" keep {print_expr(keep)}"
            yield from _block(f"clip{low}{high}", body, depth)
        case LaneLoop(inner, reads, writes, fresh):
            flag = "fresh " if fresh else ""
            yield f"{pad}{flag}lanes reads({', '.join(reads)}) writes({', '.join(writes)}) {{"
            yield from print_stmts(inner, depth + 1)
            yield f"{pad}}}"
        case Uniform(stmt, fresh):
            flag = "fresh " if fresh else ""
            yield from (f"{pad}{mark}{flag}{x}" for x in print_stmts((stmt,)))
        case _:
            yield f"{pad}{_simple(s)}"


def _simple(s: TileStmt) -> str:
    match s:
        case CopyIn(tile, pointer, index, ordered):
            flag = " ordered" if ordered else ""
            return f"{tile.name} = copy_in{flag} {print_expr(pointer)}[{print_expr(index)}]"
        case CopyOut(pointer, index, tile):
            return f"copy_out {print_expr(pointer)}[{print_expr(index)}] = {tile.name}"
        case Map(dst, op, args):
            return f"{_operand(dst)} = {op.value} {_operands(args)}"
        case Apply(dst, name, args, scratch):
            extra = f" with {_operands(scratch)}" if scratch else ""
            return f"{_operand(dst)} = apply {name} {_operands(args)}{extra}"
        case Compare(mask, op, lhs, rhs):
            return f"{mask.name} = {_operand(lhs)} {op.value} {_operand(rhs)}"
        case Choose(dst, mask, then, other):
            return f"{_operand(dst)} = {mask.name} ? {_operand(then)} : {_operand(other)}"
        case TileBreak():
            return "break"
        case TileContinue():
            return "continue"
        case LaneLoop() | Uniform() | TileIf() | TileFor() | TileWhile() | Clip():
            raise TypeError("a compound statement is not simple")
        case _:
            assert_never(s)
