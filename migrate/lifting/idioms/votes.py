"""Votes of a whole block: what `__syncthreads_or`, `_and` and `_count` answer is a reduction.

    region { given = cast<i32>((x < 0)) }        region { vote = ((x < 0) ? 1 : 0) }
    any = syncthreads_or(given)                  reduce any = max(vote)

The operand of every lane becomes 1 where it is not 0, else 0. Of such numbers the largest is 1 when
a lane says yes, the smallest when no lane says no, and the sum is the number of lanes that say yes:
exact, in any order, and for any number of lanes. Legal where all lanes of the block take part:
under a mask, lanes that left the kernel do not vote, and the vote stays as it is. A block has to be
one row of threads, since the value of lane ``t`` is that of the thread with ``threadIdx.x == t``; a
launcher tests that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from migrate.analysis.constants import const
from migrate.ir.expr import Binary, BinaryOp, Cast, Expr, Read, Select, VarPlace
from migrate.ir.lanes import (
    AnyLane,
    BlockAssign,
    BlockVariable,
    Branch,
    Exchange,
    LaneBuffer,
    LaneKernel,
    LaneStmt,
    Loop,
    Reduce,
    Region,
    walk_lanes,
)
from migrate.ir.simt import Assign
from migrate.ir.types import BOOL, I32, Scalar
from migrate.ir.walk import var_names
from migrate.lifting.idioms.sizes import is_row, one_row
from migrate.lifting.idioms.tidy import assigned_counts, tidied
from migrate.lifting.naming import lane_names

_OPS = {"syncthreads_or": "max", "syncthreads_and": "min", "syncthreads_count": "sum"}
_RESULTS = {"max": "some", "min": "every", "sum": "votes"}


def with_votes(program: LaneKernel) -> LaneKernel | None:
    """The program with the votes of its block as reductions, or None when it has no such vote."""
    if not is_row(program):
        return None
    rewrite = _Votes(program)
    body = rewrite.steps(program.body)
    if not rewrite.buffers:
        return None
    return replace(
        program,
        body=body,
        buffers=(*program.buffers, *rewrite.buffers),
        variables=(*program.variables, *rewrite.variables),
        requires=(*program.requires, *one_row()),
    )


def of_votes_alone(program: LaneKernel) -> LaneKernel | None:
    """A program :func:`with_votes` made as tiles, or None when its lanes meet in other ways too."""
    steps = list(walk_lanes(program.body))
    if program.arrays or any(isinstance(s, Exchange | AnyLane) for s in steps):
        return None
    made = tidied(program)
    if any(not isinstance(b.type, Scalar) for b in made.buffers):
        return None
    return made if any(isinstance(s, Reduce) for s in walk_lanes(made.body)) else None


class _Votes:
    def __init__(self, program: LaneKernel) -> None:
        self._names = lane_names(program)
        counts = Counter(assigned_counts(program))
        counts.update(s.result for s in walk_lanes(program.body) if isinstance(s, Exchange))
        self._own = {v.name for v in program.variables if counts[v.name] == 1 and v.type == I32}
        self.buffers: list[LaneBuffer] = []
        self.variables: list[BlockVariable] = []

    def steps(self, body: tuple[LaneStmt, ...]) -> tuple[LaneStmt, ...]:
        out: list[LaneStmt] = []
        for s in body:
            match s:
                case Exchange(op, _, (operand,), None) if op in _OPS:
                    out += self._vote(s, operand, out)
                case Branch(_, then, other):
                    out.append(replace(s, then=self.steps(then), other=self.steps(other)))
                case Loop(_, inner, step):
                    out.append(replace(s, body=self.steps(inner), step=self.steps(step)))
                case AnyLane(_, inner):
                    out.append(replace(s, body=self.steps(inner)))
                case _:
                    out.append(s)
        return tuple(out)

    def _vote(self, s: Exchange, operand: Expr, before: list[LaneStmt]) -> Iterator[LaneStmt]:
        """The steps in place of a vote; the last one before it may become part of them."""
        op = _OPS[s.op]
        vote = VarPlace(self._names.fresh("vote"), I32)
        self.buffers.append(LaneBuffer(vote.name, I32))
        region = Region((), span=s.span)
        if before and isinstance(before[-1], Region) and not before[-1].box:
            last = before[-1]
            if last.mask is None and last.body:
                region = last
                operand = _just_set(last, operand)
                before.pop()
        answer = Select(_says_yes(operand), const(1, I32), const(0, I32))
        body = (*region.body, Assign(vote, answer, span=s.span))
        yield replace(region, body=body, joined=False)
        if s.result in self._own:
            yield Reduce(op, s.result, vote.name, span=s.span)
            return
        total = VarPlace(self._names.fresh(_RESULTS[op]), I32)
        self.variables.append(BlockVariable(total.name, I32))
        yield Reduce(op, total.name, vote.name, span=s.span)
        yield BlockAssign(s.result, Read(total), span=s.span)


def _just_set(s: Region, operand: Expr) -> Expr:
    """The value that the last statement of a region gives the operand, or the operand."""
    match operand, s.body[-1]:
        case Read(place), Assign(again, value) if place == again and operand.type == value.type:
            return operand if var_names(value) & var_names(operand) else value
        case _:
            return operand


def _says_yes(operand: Expr) -> Expr:
    if isinstance(operand, Cast) and operand.operand.type == BOOL:
        return operand.operand
    kind = operand.type
    if kind == BOOL:
        return operand
    assert isinstance(kind, Scalar)
    return Binary(BinaryOp.NE, operand, const(0, kind))
