"""Lane programs with their lanes written out: the form that back ends print as loops.

Made by :mod:`migrate.lifting.lane_code`, which says what each step of :mod:`migrate.ir.lanes`
becomes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from typing_extensions import assert_never

from migrate.ir.expr import Expr, VarPlace
from migrate.ir.lanes import BlockArray, BlockVariable, LaneBuffer, LaneKernel
from migrate.ir.node import Node
from migrate.ir.simt import Stmt


@dataclass(frozen=True, slots=True)
class EachLane(Node):
    """``for (lane = 0; lane < threads; ++lane) body``, lanes in any order; or for the points of a
    ``box`` (:class:`migrate.ir.lanes.Region`). ``joined``: no barrier is needed behind it; without
    statements it is a barrier alone."""

    body: tuple[Stmt, ...]
    joined: bool = False
    box: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Single(Node):
    """Statements that run once a block; they write block variables alone."""

    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Test(Node):
    """A branch of the whole block."""

    cond: Expr
    then: tuple[Step, ...]
    other: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Repeat(Node):
    """``while (cond) { body; step }`` of the whole block."""

    cond: Expr
    body: tuple[Step, ...]
    step: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Fold(Node):
    """``result[0]`` becomes ``op`` over a lane buffer (:class:`migrate.ir.lanes.Reduce`)."""

    op: str
    result: str
    value: str
    order: str


@dataclass(frozen=True, slots=True)
class Sums(Node):
    """A shared array becomes its prefix sums (:class:`migrate.ir.lanes.Scan`)."""

    array: str
    order: str


Step = EachLane | Single | Test | Repeat | Fold | Sums


@dataclass(frozen=True, slots=True)
class LaneCode:
    """A lane program written out. ``arrays`` and ``buffers`` have the types in which they are kept;
    ``crossing`` are the buffers that other lanes read, or that are read once a block; ``variables``
    holds those of the program and counters that were added."""

    program: LaneKernel
    lane: VarPlace
    threads: VarPlace
    arrays: tuple[BlockArray, ...]
    buffers: tuple[LaneBuffer, ...]
    crossing: frozenset[str]
    variables: tuple[BlockVariable, ...]
    body: tuple[Step, ...]


def step_bodies(s: Step) -> tuple[tuple[Step, ...], ...]:
    """The step lists directly inside a step, in order of execution."""
    match s:
        case Test(_, then, other):
            return (then, other)
        case Repeat(_, body, step):
            return (body, step)
        case EachLane() | Single() | Fold() | Sums():
            return ()
        case _:
            assert_never(s)


def walk_steps(steps: tuple[Step, ...]) -> Iterator[Step]:
    """Every step, outer before inner."""
    for s in steps:
        yield s
        for body in step_bodies(s):
            yield from walk_steps(body)
