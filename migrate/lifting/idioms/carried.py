"""Sums that a thread keeps in a variable of one region become lane buffers, like those that live
longer.

    region { var sum = 0                       lane sum
             for (...) { sum = sum + ... }     region { sum = 0
             m[...] = m[...] - sum }                    for (...) { sum = sum + ... }
                                                        m[...] = m[...] - sum }

Legal because a variable of a region's outermost level has one value a thread, and is set before it
is read.
"""

from __future__ import annotations

from dataclasses import replace

from migrate.ir.expr import VarPlace
from migrate.ir.lanes import LaneBuffer, LaneKernel, LaneStmt, Region, walk_lanes
from migrate.ir.simt import Assign, Declare, For, Stmt
from migrate.ir.types import BOOL, Scalar
from migrate.ir.walk import assigned_names, walk_stmts
from migrate.lifting.idioms.tidy import mapped


def with_carried_buffers(program: LaneKernel) -> LaneKernel:
    """The program with what loops of a region carry along in lane buffers."""
    counts: dict[str, int] = {}
    kinds: dict[str, Scalar] = {}
    for s in walk_lanes(program.body):
        if not isinstance(s, Region):
            continue
        inside = [x for x in walk_stmts(s.body) if isinstance(x, For)]
        carried = assigned_names(tuple(y for x in inside for y in x.body))
        for x in walk_stmts(s.body):
            if isinstance(x, Declare):
                counts[x.name] = counts.get(x.name, 0) + 1
        for x in s.body:
            match x:
                case Declare(name, Scalar() as kind, init) if init is not None:
                    if name in carried and kind != BOOL:
                        kinds[name] = kind
                case _:
                    pass
    # A variable that is made again in a second region would be two.
    made = {n: k for n, k in kinds.items() if counts[n] == 1}
    if not made:
        return program

    def rule(body: tuple[LaneStmt, ...]) -> tuple[LaneStmt, ...]:
        return tuple(
            replace(s, body=tuple(_assigned(x, made) for x in s.body))
            if isinstance(s, Region)
            else s
            for s in body
        )

    buffers = tuple(LaneBuffer(n, k) for n, k in made.items())
    return replace(program, body=mapped(program.body, rule), buffers=(*program.buffers, *buffers))


def _assigned(s: Stmt, made: dict[str, Scalar]) -> Stmt:
    match s:
        case Declare(name, kind, init) if name in made and init is not None:
            return Assign(VarPlace(name, kind), init, span=s.span, note=s.note)
        case _:
            return s
