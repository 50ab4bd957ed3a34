"""Statistics that threads merge by a tree: two sums at once are two reductions, and a merge in
which one member scales another is none."""

from __future__ import annotations

import pytest
from test_block_reductions import T, lifted, reductions

MOST = "call<f32> fmaxf(m.[t], m.[(t + half)])"
SUM = "(d.[t] + d.[(t + half)])"


def pairs(most: str, total: str, kind: str = "f32") -> str:
    """A tree over two arrays, both of whose new values are made before one is stored."""
    return f"""{T}shared var m: array<{kind}, 1024>
    shared var d: array<{kind}, 1024>
    m.[t] = x[t]
    d.[t] = x[t]
    barrier block
    var half: i32 = cast<i32>((blockDim.x / 2:u32))
    while (half > 0:i32) {{
      if (t < half) {{
        var most: {kind} = {most}
        var total: {kind} = {total}
        m.[t] = most
        d.[t] = total
      }}
      barrier block
      half = (half / 2:i32)
    }}
    if (t == 0:i32) {{
      y[0:i32] = m.[0:i32]
      y[1:i32] = d.[0:i32]
    }}"""


def exp(at: str) -> str:
    return f"call<f32> expf((m.[{at}] - most))"


HERE, THERE = "t", "(t + half)"
MERGES = {
    # Running maximum and sum: exact in real numbers, but no sum of what the lanes hold.
    "the sums are scaled to the larger maximum": (
        MOST,
        f"((d.[{HERE}] * {exp(HERE)}) + (d.[{THERE}] * {exp(THERE)}))",
    ),
    "one side is not scaled": (MOST, f"(d.[{HERE}] + (d.[{THERE}] * {exp(THERE)}))"),
    "the scales are of the other side": (
        MOST,
        f"((d.[{HERE}] * {exp(THERE)}) + (d.[{THERE}] * {exp(HERE)}))",
    ),
    # As by Welford: a sum of squares gets what the means differ by.
    "the difference of the means goes into the squares": (
        "(m.[t] + m.[(t + half)])",
        f"({SUM} + ((m.[(t + half)] - m.[t]) * (m.[(t + half)] - m.[t])))",
    ),
    "a mean of two means": ("((m.[t] + m.[(t + half)]) * 0.5:f32)", SUM),
    "the larger one is told by a comparison": (
        "((m.[t] > m.[(t + half)]) ? m.[t] : m.[(t + half)])",
        SUM,
    ),
}


@pytest.mark.parametrize(("first", "word"), [(MOST, "max"), ("(m.[t] + m.[(t + half)])", "sum")])
def test_two_statistics_in_one_tree_are_two_reductions(first: str, word: str) -> None:
    found = reductions(lifted(pairs(first, SUM), "f32")[1])
    assert sorted(x.split("(")[0] for x in found) == sorted([word, "sum"])


@pytest.mark.parametrize("name", sorted(MERGES))
def test_a_merge_in_which_members_meet_stays_a_lane_program(name: str) -> None:
    assert lifted(pairs(*MERGES[name]), "f32")[1] is None
