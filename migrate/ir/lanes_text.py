"""Lane programs as text, for dumps and tests.

::

    lanes total over block
      requires (blockDim.x >= 32:u32)
      block partial: array<f32, 32>
      lane v: f32
      region {
        v = x[cast<i32>(threadIdx.x)]
      }
      exchange other = shfl_down(v, 16:u32, 32:i32)
"""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import assert_never

from migrate.ir.lanes import (
    AnyLane,
    BlockAssign,
    Branch,
    Exchange,
    LaneKernel,
    LaneStmt,
    Loop,
    Reduce,
    Region,
    Scan,
)
from migrate.ir.printer import INDENT, print_expr, print_stmts


def print_lane_kernel(k: LaneKernel) -> str:
    """A whole lane program, ending with a newline."""
    lines = [f"lanes {k.symbol} ({', '.join(f'{p.name}: {p.type}' for p in k.params)})"]
    lines += [f"{INDENT}requires {print_expr(e)}" for e in k.requires]
    for a in k.arrays:
        lines.append(f"{INDENT}block {a.name}: {a.type}{' per lane' if a.per_lane else ''}")
    lines += [f"{INDENT}lane {b.name}: {b.type}" for b in k.buffers]
    lines += [f"{INDENT}once {v.name}: {v.type}" for v in k.variables]
    lines += print_lanes(k.body, 1)
    return "\n".join(lines) + "\n"


def print_lanes(stmts: tuple[LaneStmt, ...], depth: int = 0) -> Iterator[str]:
    """Lines of a statement list."""
    for s in stmts:
        yield from _lines(s, depth)


def _masked(mask: str | None) -> str:
    return "" if mask is None else f" where {mask}"


def _block(head: str, body: tuple[LaneStmt, ...], depth: int) -> Iterator[str]:
    yield f"{INDENT * depth}{head} {{"
    yield from print_lanes(body, depth + 1)
    yield f"{INDENT * depth}}}"


def _lines(s: LaneStmt, depth: int) -> Iterator[str]:
    pad = INDENT * depth
    match s:
        case Region(body, mask, joined, box):
            points = "".join(f" {name} < {length}" for name, length in box)
            yield f"{pad}{'joined ' if joined else ''}region{points}{_masked(mask)} {{"
            yield from print_stmts(body, depth + 1)
            yield f"{pad}}}"
        case BlockAssign(name, value):
            yield f"{pad}once {name} = {print_expr(value)}"
        case Exchange(op, result, operands, mask):
            listed = ", ".join(print_expr(e) for e in operands)
            yield f"{pad}exchange {result} = {op}({listed}){_masked(mask)}"
        case Branch(cond, then, other):
            yield from _block(f"if {print_expr(cond)}", then, depth)
            if other:
                yield from _block("else", other, depth)
        case Loop(cond, body, step):
            yield from _block(f"while {print_expr(cond)}", body, depth)
            if step:
                yield from _block("step", step, depth)
        case AnyLane(mask, body):
            yield from _block(f"any {mask}", body, depth)
        case Reduce(op, result, value, order):
            yield f"{pad}reduce {result} = {op}({value}) by {order}"
        case Scan(array, order):
            yield f"{pad}scan {array} by {order}"
        case _:
            assert_never(s)
