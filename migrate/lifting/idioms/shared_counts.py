"""Counts in shared memory: bins that the block sets, adds to and hands on.

    region { for (b = t; b < 64; b += blockDim.x)    region b < 64 { bins.[b] = 0 }
      bins.[b] = 0 }
    region { for (i = ...; i < n; i += stride)       while (k < rounds) { region {
      atomic add bins.[x[i]](1) }                      if (i < n) { atomic add bins.[x[i]](1) } } }
    region { for (b = t; b < 64; b += blockDim.x)    region b < 64 {
      atomic add out[b](bins.[b]) }                    atomic add out[b](bins.[b]) }

Lanes keep no values of their own from one region to the next, and take part in shared arrays in two
ways alone: as points of a box (:mod:`migrate.lifting.idioms.boxes` says when a loop may be one),
and in atomic operations of integers that give nothing back, which come to the same in any order.
Then no lane is told from another, and the program is one of tiles. A block has to be one row of
threads, since a box is taken once a block; a launcher tests that.
"""

from __future__ import annotations

from dataclasses import replace

from migrate.ir.expr import Read
from migrate.ir.lanes import AnyLane, Exchange, LaneKernel, Reduce, Region, walk_lanes
from migrate.ir.simt import Atomic
from migrate.ir.types import Scalar
from migrate.ir.walk import all_exprs, stmt_places, walk_stmts
from migrate.lifting.idioms.boxes import memory_of
from migrate.lifting.idioms.sizes import is_row, one_row
from migrate.lifting.idioms.strides import with_tile_loops
from migrate.lifting.idioms.tidy import tidied


def with_counts(program: LaneKernel) -> LaneKernel | None:
    """The program as tiles, or None when lanes work together in another way."""
    steps = list(walk_lanes(program.body))
    if any(isinstance(s, Exchange | AnyLane | Reduce) for s in steps) or not is_row(program):
        return None
    if not program.arrays or any(not a.length for a in program.arrays):
        return None
    made = with_tile_loops(tidied(replace(program, requires=(*program.requires, *one_row()))))
    regions = [s for s in walk_lanes(made.body) if isinstance(s, Region)]
    if made.buffers or not any(s.box for s in regions):
        return None
    arrays = frozenset(a.name for a in made.arrays if not a.scalar)
    counts = [_counts(s, arrays) for s in regions if not s.box]
    good = None not in counts and any(counts)
    return made if good and all(s.mask is None for s in regions) else None


def _counts(s: Region, arrays: frozenset[str]) -> bool | None:
    """Whether a region of lanes adds to arrays; None when it uses them in another way."""
    found = False
    for e in all_exprs(s.body):
        if isinstance(e, Read) and memory_of(e.place, arrays) in arrays:
            return None
    for x in walk_stmts(s.body):
        mine = [p for p in stmt_places(x) if memory_of(p, arrays) in arrays]
        if not mine:
            continue
        kind = mine[0].type
        if not isinstance(x, Atomic) or x.result is not None:
            return None
        if not isinstance(kind, Scalar) or kind.is_float:
            return None
        found = True
    return found
