"""A thread's number in its block, where the block is one row: ``threadIdx.x``.

    threadIdx.x + (threadIdx.y + threadIdx.z * blockDim.y) * blockDim.x        threadIdx.x

``thread_rank()`` of cooperative groups and CUB's blocks of any shape count all threads so. The
idioms of a block ask a launch for blocks that are one row (:func:`..sizes.one_row`), and there
``threadIdx.y`` and ``threadIdx.z`` are 0. Only this sum is replaced, and only for them: a kernel
that asks for another axis by itself was written for blocks of several rows.
"""

from __future__ import annotations

from dataclasses import replace

from typing_extensions import assert_never

from migrate.ir.expr import Binary, BinaryOp, Builtin, Expr, IndexVar
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
from migrate.ir.walk import Rewriter

_X, _Y, _Z = (IndexVar(Builtin.THREAD, axis) for axis in "xyz")
_WIDTH, _HEIGHT = (IndexVar(Builtin.BLOCK_DIM, axis) for axis in "xy")


def in_one_row(program: LaneKernel) -> LaneKernel:
    """The program with ``threadIdx.x`` for the number of a thread in its block."""
    rewriter = Rewriter(expr=_rank)

    def steps(body: tuple[LaneStmt, ...]) -> tuple[LaneStmt, ...]:
        return tuple(step(s) for s in body)

    def step(s: LaneStmt) -> LaneStmt:
        match s:
            case Region(body):
                return replace(s, body=rewriter.body(body))
            case BlockAssign(_, value):
                return replace(s, value=rewriter.expr(value))
            case Branch(cond, then, other):
                return replace(s, cond=rewriter.expr(cond), then=steps(then), other=steps(other))
            case Loop(cond, body, step_):
                new = replace(s, cond=rewriter.expr(cond), body=steps(body))
                return replace(new, step=steps(step_))
            case AnyLane(_, body):
                return replace(s, body=steps(body))
            case Exchange(_, _, operands):
                return replace(s, operands=rewriter.exprs(operands))
            case Reduce() | Scan():
                return s
            case _:
                assert_never(s)

    return replace(program, body=steps(program.body))


def _rank(e: Expr) -> Expr | None:
    match e:
        case Binary(BinaryOp.ADD, a, b) if a == _X and _rows(b):
            return _X
        case Binary(BinaryOp.ADD, a, b) if b == _X and _rows(a):
            return _X
        case _:
            return None


def _rows(e: Expr) -> bool:
    """``(y + z * height) * width``, each sum and product either way round."""
    match e:
        case Binary(BinaryOp.MUL, a, b):
            sums = a if b == _WIDTH else b if a == _WIDTH else None
        case _:
            return False
    match sums:
        case Binary(BinaryOp.ADD, a, b):
            planes = b if a == _Y else a if b == _Y else None
        case _:
            return False
    match planes:
        case Binary(BinaryOp.MUL, a, b):
            return (a, b) in ((_Z, _HEIGHT), (_HEIGHT, _Z))
        case _:
            return False
