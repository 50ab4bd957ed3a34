"""The lane dialect: a kernel as steps that all threads of a block take together.

A *lane program* is what one block does. A lane is a thread of the block; lane ``l`` is the thread
with ``l = x + blockDim.x * (y + blockDim.y * z)``, and warps are 32 lanes in that order.

* A :class:`Region` runs for every lane, in any order, one after the other or at once. Where the
  CUDA kernel had a barrier or a warp operation, one region ends and the next begins.
* :class:`Exchange` is a warp operation (or a barrier that votes): all operands are taken before a
  result is written.
* Control between regions is the same for all lanes: :class:`Branch` and :class:`Loop` test *block
  variables*, which have one value a block. :class:`AnyLane` goes on while a lane is left in a mask.
* :class:`Reduce` is one value out of a value of every lane; :class:`Scan` makes prefix sums.
* Part of the lanes alone run under a *mask*: a lane buffer of ``bool``.

Why splitting is legal: CUDA promises no order between the threads of a block from one barrier to
the next, so a race-free program cannot tell in which order they run there, and running all of them
to the barrier and then going on is one of the orders that it allows. More barriers than the kernel
had change nothing for it either. Programs with races have no such promise: what they do on a GPU is
not preserved. Code that trusts in the lock step of a warp has to say ``volatile``, which is refused
by the front end.

Bodies of regions are SIMT statements in normal form (:mod:`migrate.lifting.schedule`) without
barriers and collectives. Names in them mean:

* a parameter: the same for all lanes;
* a lane buffer (:class:`LaneBuffer`): this lane's slot;
* a block variable (:class:`BlockVariable`): the block's value, never assigned in a region;
* a block array (:class:`BlockArray`): ``__shared__`` memory;
* anything else is declared in the same region.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from typing_extensions import assert_never

from migrate.ir.expr import Expr
from migrate.ir.kernel import Param
from migrate.ir.node import Node
from migrate.ir.simt import Stmt
from migrate.ir.types import Array, Scalar, Type

WARP = 32
"""Lanes of a warp."""


@dataclass(frozen=True, slots=True)
class BlockArray(Node):
    """A flat ``__shared__`` array, or a scalar one (``length`` 1 and ``scalar`` set).

    ``length`` 0 is the dynamic array: the launch says how many bytes it has; with ``per_lane`` set
    it has an element for each lane. ``columns``: the array has rows of so many elements.
    """

    name: str
    element: Scalar
    length: int
    scalar: bool = False
    per_lane: bool = False
    columns: int = 0

    @property
    def type(self) -> Scalar | Array:
        """The type under which statements name it."""
        if self.scalar:
            return self.element
        if self.columns:
            return Array(Array(self.element, self.columns), self.length // self.columns)
        return Array(self.element, self.length)


@dataclass(frozen=True, slots=True)
class LaneBuffer(Node):
    """A value of every lane that lives across regions: a scalar, or a lane's own array."""

    name: str
    type: Scalar | Array


@dataclass(frozen=True, slots=True)
class BlockVariable(Node):
    """A value that all lanes of a block share: loop counters, bounds, tile numbers."""

    name: str
    type: Scalar


@dataclass(frozen=True, slots=True)
class Region(Node):
    """Run ``body`` for every lane (of the mask); no order between lanes is promised.

    ``joined``: no lane has to wait for others before the next step, because both were one region. A
    region without statements is a barrier alone.

    ``box``: the body runs for every point of a box instead, in any order: for each name, an i32,
    the numbers below its length. Such a body names no thread and no lane buffer. Only idioms make
    boxes (:mod:`migrate.lifting.idioms`).
    """

    body: tuple[Stmt, ...]
    mask: str | None = None
    joined: bool = False
    box: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class BlockAssign(Node):
    """Give a block variable a value, once a block. Reads no lane buffer and no thread index."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Exchange(Node):
    """An operation among lanes; ``result`` is the lane buffer that it fills (for the mask's lanes),
    or with ``syncthreads_*`` a block variable.

    ``operands`` are reads of lane buffers or values that are the same for all lanes. Taking part
    are the lanes of the mask, or all. By ``op``, with *warp* the lane's own one:

    =============== ====================== ========================================================
    op              operands               result of lane ``l`` (``w`` = width, ``b`` = l & ~(w-1))
    =============== ====================== ========================================================
    shfl            value, source, width   value of lane ``b + (source & (w-1))``
    shfl_up         value, delta, width    of ``l - delta``, own one where that is below ``b``
    shfl_down       value, delta, width    of ``l + delta``, own one where that is ``b + w`` or more
    shfl_xor        value, mask, width     of ``l ^ mask``, own one where that is ``b + w`` or more
    ballot          members, predicate     bit ``k``: lane ``k`` of the warp says yes
    any, all        members, predicate     1 when one says yes, when none says no; else 0
    match_any       members, value         bit ``k``: lane ``k`` of the warp has the same value
    activemask      (none)                 bit ``k``: lane ``k`` of the warp takes part
    reduce_add ...  members, value         the members' values together (u32 wraps)
    syncthreads_*   predicate              over the block: count, and, or of the lanes that say yes
    =============== ====================== ========================================================

    ``members`` are bits: lanes of the warp that are counted, if they take part. The value of a lane
    that does not take part, or that lies beyond the block, is undefined in CUDA: a back end gives
    the lane's own value. Source: CUDA C++ Programming Guide, warp shuffle, vote, match and reduce
    functions.
    """

    op: str
    result: str
    operands: tuple[Expr, ...]
    mask: str | None = None


@dataclass(frozen=True, slots=True)
class Branch(Node):
    """A branch that all lanes of the block take together."""

    cond: Expr
    then: tuple[LaneStmt, ...]
    other: tuple[LaneStmt, ...] = ()


@dataclass(frozen=True, slots=True)
class Loop(Node):
    """``while (cond) { body; step }``, the same number of rounds for all lanes of the block."""

    cond: Expr
    body: tuple[LaneStmt, ...]
    step: tuple[LaneStmt, ...] = ()


@dataclass(frozen=True, slots=True)
class AnyLane(Node):
    """``while (a lane is left in mask) body``; the body takes lanes out of the mask."""

    mask: str
    body: tuple[LaneStmt, ...]


@dataclass(frozen=True, slots=True)
class Reduce(Node):
    """``result`` becomes ``op`` (``sum``, ``max`` or ``min``) over the slots of all lanes of the
    lane buffer ``value``. A target may do it in any order; ``order`` is the one of CUDA's threads
    (:mod:`migrate.lifting.idioms.orders`). Only idioms make it (:mod:`migrate.lifting.idioms`).
    """

    op: str
    result: str
    value: str
    order: str = "halves"


@dataclass(frozen=True, slots=True)
class Scan(Node):
    """The block array ``array`` becomes its prefix sums: element ``i`` the sum of 0 to ``i``.

    Integers wrap. A target may add in any order; ``order`` is the one of CUDA's threads
    (:mod:`migrate.lifting.idioms.orders`). Only idioms make it.
    """

    array: str
    order: str = "doubling"


LaneStmt = Region | BlockAssign | Exchange | Branch | Loop | AnyLane | Reduce | Scan


@dataclass(frozen=True, slots=True)
class LaneKernel(Node):
    """A lane program.

    ``params`` are those of the normal form. ``requires`` are conditions on the launch (over
    ``blockDim``) under which the program is the kernel: a launcher has to test them.
    """

    symbol: str
    params: tuple[Param, ...]
    arrays: tuple[BlockArray, ...]
    buffers: tuple[LaneBuffer, ...]
    variables: tuple[BlockVariable, ...]
    requires: tuple[Expr, ...]
    body: tuple[LaneStmt, ...]

    def types(self) -> dict[str, Type]:
        """The types of all names that regions may use without declaring them."""
        found: dict[str, Type] = {p.name: p.type for p in self.params}
        for a in self.arrays:
            found[a.name] = a.type
        found |= {b.name: b.type for b in self.buffers}
        return found | {v.name: v.type for v in self.variables}


def lane_bodies(s: LaneStmt) -> tuple[tuple[LaneStmt, ...], ...]:
    """The statement lists directly inside a statement, in order of execution."""
    match s:
        case Branch(_, then, other):
            return (then, other)
        case Loop(_, body, step):
            return (body, step)
        case AnyLane(_, body):
            return (body,)
        case Region() | BlockAssign() | Exchange() | Reduce() | Scan():
            return ()
        case _:
            assert_never(s)


def walk_lanes(stmts: tuple[LaneStmt, ...]) -> Iterator[LaneStmt]:
    """Every statement of a lane program, outer before inner."""
    for s in stmts:
        yield s
        for body in lane_bodies(s):
            yield from walk_lanes(body)
