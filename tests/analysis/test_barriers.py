"""What barriers order."""

from __future__ import annotations

import pytest

from migrate.analysis.barriers import barrier_uses
from migrate.ir.kernel import Kernel
from migrate.ir.parser import parse_kernel

BARRIER, NEW_LINE = "barrier block", "\n"  # what follows on its line would be its mask
HEAD = "n: i32, x: ptr<global, f32>, y: ptr<global, f32>"
TILE = "shared var s: array<f32, 64> var t: i32 = cast<i32>(threadIdx.x) var v: f32 = 0.0:f32\n"


def kernel(body: str) -> Kernel:
    return parse_kernel(
        f'kernel k "k" ({HEAD}) mangled "" qualified "" bounds 0 {{\n{TILE}{body.replace(BARRIER, BARRIER + NEW_LINE)}\n}}'
    )


def ordered(body: str) -> list[list[str]]:
    return [
        [f"{o.before.kind} {o.before.buffer} {o.after.kind}" for o in b.orders]
        for b in barrier_uses(kernel(body))
    ]


def test_a_neighbours_element() -> None:
    assert ordered("s.[t] = x[t] barrier block y[t] = s.[(t + 1:i32)]") == [["write s read"]]


def test_a_threads_own_element_needs_no_barrier() -> None:
    assert ordered("s.[t] = x[t] barrier block y[t] = s.[t]") == [[]]


@pytest.mark.parametrize(
    "index",
    [
        "n",  # one element for all threads
        "(t + cast<i32>(threadIdx.y))",  # rows of the block meet
        "(t * cast<i32>(v))",  # anything
    ],
)
def test_equal_indices_that_do_not_tell_threads_apart(index: str) -> None:
    assert ordered(f"s.[{index}] = x[t] barrier block y[t] = s.[{index}]") == [["write s read"]]


def test_a_counter_that_goes_on_between() -> None:
    """``t + i`` before the barrier and after it can be one element in two rounds."""
    body = (
        "for { init { var i: i32 = 0:i32 } while (i < n) step { i = (i + 1:i32) } body {"
        " s.[(t + i)] = x[t] barrier block v = s.[(t + i)] } }"
    )
    (orders,) = ordered(body)
    assert sorted(orders) == ["read s write", "write s read", "write s write"]


def test_members_of_pairs_never_meet() -> None:
    assert ordered("s.[(t * 2:i32)] = x[t] barrier block y[t] = s.[((t * 2:i32) + 1:i32)]") == [[]]


def test_only_accesses_without_another_barrier_between_count() -> None:
    body = "s.[t] = x[t] barrier block v = 1.0:f32 barrier block y[t] = s.[(t + 1:i32)]"
    assert ordered(body) == [[], []]


ROUND = "while (v < 9.0:f32) { v = s.[(t + 1:i32)] barrier block s.[t] = v LEAVE barrier block }"


def test_the_next_round_of_a_loop_counts() -> None:
    assert ordered(ROUND.replace("LEAVE", "")) == [["read s write"], ["write s read"]]


def test_a_round_that_ends_early_counts() -> None:
    """Over ``continue`` the write comes before the first barrier of the next round, and its read
    after that of this one."""
    found = ordered(ROUND.replace("LEAVE", "if (n > 3:i32) { continue }"))
    assert sorted(found[0]) == ["read s write", "write s read"]


def test_either_branch_counts() -> None:
    body = "if (n > 0:i32) { s.[t] = v } else { s.[(t + 1:i32)] = v } barrier block y[t] = s.[(t + 2:i32)]"
    assert ordered(body) == [["write s read"]]


def test_reads_alone_are_in_no_order() -> None:
    assert ordered("v = s.[t] barrier block y[t] = s.[(t + 1:i32)]") == [[]]
