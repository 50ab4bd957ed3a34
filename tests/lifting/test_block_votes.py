"""Votes of a block: what becomes a reduction, and what is close and does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_block_reductions import lifted, reductions, run

from migrate.ir.lanes import Exchange, LaneKernel, Reduce
from migrate.lifting.idioms.tidy import mapped
from migrate.lifting.idioms.votes import with_votes

T = "var t: i32 = cast<i32>(threadIdx.x)\n"
WORDS = {"or": "max", "and": "min", "count": "sum"}


def vote(op: str, says: str = "cast<i32>((x[t] > 30:i32))") -> str:
    return f"""{T}collective c: i32 = syncthreads_{op}({says})
    if (t == 0:i32) {{ y[0:i32] = c }}"""


@pytest.mark.parametrize("op", sorted(WORDS))
@pytest.mark.parametrize("says", ["cast<i32>((x[t] > 30:i32))", "x[t]", "1:i32", "0:i32"])
def test_a_vote_is_a_reduction_for_any_block(op: str, says: str) -> None:
    program, made, module = lifted(vote(op, says))
    assert reductions(made) == [f"{WORDS[op]}(vote) by halves"]
    assert made is not None and len(made.requires) == 2  # one row, and no size
    for threads in (1, 3, 32, 48, 75):
        assert run(made, module, threads) == run(program, module, threads)


def test_a_wrong_operation_is_seen() -> None:
    program, made, module = lifted(vote("count"))
    assert made is not None

    def wrong(program: LaneKernel, op: str) -> LaneKernel:
        body = mapped(
            program.body,
            lambda b: tuple(replace(s, op=op) if isinstance(s, Reduce) else s for s in b),
        )
        return replace(program, body=body)

    for op in ("max", "min"):
        assert run(wrong(made, op), module, 48) != run(program, module, 48)


@pytest.mark.parametrize(
    "body",
    [
        vote("or").replace("t == 0:i32", "cast<i32>(threadIdx.y) == 0:i32"),
        f"{T}shared var s: array<i32, 64>\ns.[t] = x[t]\n"
        + vote("or", "s.[(63:i32 - t)]").removeprefix(T),
    ],
    ids=["a block of rows", "neighbours in shared memory"],
)
def test_what_is_close_is_left_alone(body: str) -> None:
    assert lifted(body)[1] is None


def test_a_vote_without_the_lanes_that_left_is_left_alone() -> None:
    program = lifted(vote("or"))[0]
    body = tuple(replace(s, mask="m") if isinstance(s, Exchange) else s for s in program.body)
    assert with_votes(program) is not None
    assert with_votes(replace(program, body=body)) is None
