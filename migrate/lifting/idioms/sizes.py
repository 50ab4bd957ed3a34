"""Sizes of block: for which ones an idiom is proven, and the test of a launch that follows."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.analysis.constants import const
from migrate.ir.expr import Binary, BinaryOp, Builtin, Expr, IndexVar
from migrate.ir.lanes import WARP, LaneKernel, Region, walk_lanes
from migrate.ir.types import U32
from migrate.ir.walk import all_exprs

POWERS = tuple(1 << k for k in range(11))
WHOLE_WARPS = tuple(range(32, 1025, 32))
_FIRST = (256, 128, 64, 512, 32, 1024)
"""Sizes that a pattern is looked for at; then come those of arrays of the program."""


def is_row(program: LaneKernel) -> bool:
    """Whether a block can be one row of threads: nothing asks for another axis."""
    return all(e.axis == "x" for e in _threads(program))


def tried_sizes(program: LaneKernel) -> tuple[int, ...]:
    """The sizes at which an idiom is looked for."""
    sizes = {a.length for a in program.arrays}
    fitting = (n for n in sorted(sizes, reverse=True) if n in POWERS or n in WHOLE_WARPS)
    return tuple(dict.fromkeys((*_FIRST, *fitting)))


def _threads(program: LaneKernel) -> Iterator[IndexVar]:
    for s in walk_lanes(program.body):
        if isinstance(s, Region):
            for e in all_exprs(s.body):
                if isinstance(e, IndexVar) and e.builtin is Builtin.THREAD:
                    yield e


def general(program: LaneKernel, sizes: frozenset[int]) -> bool:
    """Whether a launch can be expected to have one of the sizes: all powers of two from a warp on,
    all whole warps, all powers for which a shared array with an element for each warp has room, or
    the length of one with an element for each thread.

    A launch of another size fails with a message: the proof says nothing of it.
    """
    powers = frozenset(n for n in POWERS if n >= WARP)
    lengths = {a.length for a in program.arrays}
    most = max(sizes)
    by_warps = most // WARP in lengths and {n for n in powers if n <= most} <= sizes
    return powers <= sizes or ((most in lengths or by_warps) and most > WARP)


def one_row() -> Iterator[Expr]:
    """A test that a block is one row of threads."""
    for axis in ("y", "z"):
        yield _same(IndexVar(Builtin.BLOCK_DIM, axis), 1)


def one_of(sizes: frozenset[int]) -> Iterator[Expr]:
    """A test of ``blockDim``: one row of threads, of a size that was proven."""
    x = IndexVar(Builtin.BLOCK_DIM, "x")
    yield from one_row()
    warps = frozenset(WHOLE_WARPS) <= sizes
    powers = frozenset(POWERS) <= sizes
    less = Binary(BinaryOp.SUB, x, const(1, U32))
    a_power = Binary(BinaryOp.EQ, Binary(BinaryOp.AND, x, less), const(0, U32))
    a_warp = _same(Binary(BinaryOp.REM, x, const(32, U32)), 0)
    if warps and powers:
        yield Binary(BinaryOp.LOR, a_power, a_warp)
    elif warps:
        yield a_warp
    elif powers:
        yield a_power
    else:
        yield _listed(x, sorted(sizes))


def _listed(x: Expr, sizes: list[int]) -> Expr:
    whole = _same(x, sizes[0])
    for n in sizes[1:]:
        whole = Binary(BinaryOp.LOR, whole, _same(x, n))
    return whole


def _same(e: Expr, value: int) -> Expr:
    return Binary(BinaryOp.EQ, e, const(value, U32))
