"""Programs of tiles: what a block does to whole matrices of its own, for TileLang's tile rung.

A tile lies in shared memory or, as a *fragment*, spread over the registers of the block's threads.
Threads do not occur: a step is for the elements of a box, in any order, and each step is done
before the next begins. ``threadIdx.y`` and ``threadIdx.x`` in the body of :class:`EachPoint` are
the row and the column of the element; elements of tiles are ``name.[row].[column]``.

Made by :mod:`migrate.lifting.idioms.matrix_tiles`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from typing_extensions import assert_never

from migrate.ir.expr import Expr
from migrate.ir.kernel import Param
from migrate.ir.lanes import BlockVariable
from migrate.ir.node import Node
from migrate.ir.simt import For, Stmt
from migrate.ir.types import Array, Scalar


@dataclass(frozen=True, slots=True)
class BlockTile(Node):
    """A matrix of the block. Fragments are read and stored to at the element of the step alone."""

    name: str
    element: Scalar
    rows: int
    columns: int
    fragment: bool = False

    @property
    def type(self) -> Array:
        """The type of its name in places."""
        return Array(Array(self.element, self.columns), self.rows)


@dataclass(frozen=True, slots=True)
class EachPoint(Node):
    """``body`` for every element of a box of ``rows`` x ``columns``, in any order."""

    rows: int
    columns: int
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Once(Node):
    """Statements that run once a block; they write block variables alone."""

    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Either(Node):
    """A branch of the whole block."""

    cond: Expr
    then: tuple[TileStep, ...]
    other: tuple[TileStep, ...]


@dataclass(frozen=True, slots=True)
class Serial(Node):
    """A loop of the whole block with the head of ``loop``, whose own body is empty; its counter is
    seen in ``body`` alone."""

    loop: For
    body: tuple[TileStep, ...]


@dataclass(frozen=True, slots=True)
class Rounds(Node):
    """``while (cond) body`` of the whole block."""

    cond: Expr
    body: tuple[TileStep, ...]


@dataclass(frozen=True, slots=True)
class Multiply(Node):
    """``result[M, N]``, a fragment, grows by ``left[M, K]`` times ``right[K, N]``; a transposed
    factor lies as ``[K, M]`` or ``[N, K]``. The target may add up in any order."""

    result: str
    left: str
    right: str
    transposed_left: bool = False
    transposed_right: bool = False


TileStep = EachPoint | Once | Either | Serial | Rounds | Multiply


@dataclass(frozen=True, slots=True)
class TileCode(Node):
    """A kernel as a program of tiles, for launches with blocks of ``block`` threads. TileLang's
    block has ``threads``."""

    symbol: str
    params: tuple[Param, ...]
    tiles: tuple[BlockTile, ...]
    variables: tuple[BlockVariable, ...]
    block: tuple[int, int]
    threads: int
    body: tuple[TileStep, ...]


def tile_step_bodies(s: TileStep) -> tuple[tuple[TileStep, ...], ...]:
    """The step lists directly inside a step, in order of execution."""
    match s:
        case Either(_, then, other):
            return (then, other)
        case Serial(_, body) | Rounds(_, body):
            return (body,)
        case EachPoint() | Once() | Multiply():
            return ()
        case _:
            assert_never(s)


def walk_tile_steps(steps: tuple[TileStep, ...]) -> Iterator[TileStep]:
    """Every step, outer before inner."""
    for s in steps:
        yield s
        for body in tile_step_bodies(s):
            yield from walk_tile_steps(body)
