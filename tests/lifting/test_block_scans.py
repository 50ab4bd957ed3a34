"""Prefix sums over a block: what is recognised, for which blocks, and what is close and is not."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable

import pytest
from lane_interpreter import Block
from support.interpreter import Address, Memory

from migrate.ir.kernel import Module
from migrate.ir.lanes import LaneKernel
from migrate.ir.lanes_text import print_lane_kernel
from migrate.ir.parser import parse_module
from migrate.lifting.idioms.tiles import block_tiles
from migrate.lifting.lane_code import lane_code
from migrate.lifting.regions import split_regions

FULL = "4294967295:u32"
T = "var t: i32 = cast<i32>(threadIdx.x)\n"
IN = [((k * 37 + 11) % 101 - 50) * 123456789 % 2**32 - 2**31 for k in range(256)]


def lifted(body: str, kind: str = "i32") -> tuple[LaneKernel, LaneKernel | None, Module]:
    params = f"n: i32, x: ptr<global const, {kind}>, y: ptr<global, {kind}>"
    head = 'mangled "" qualified "" bounds 0'
    module = parse_module(f'module "m"\nkernel k "k" ({params}) {head} {{\n{body}\n}}\n')
    program = split_regions(module.kernels[0], module)
    return program, block_tiles(program, module), module


def text(made: LaneKernel | None) -> list[str]:
    assert made is not None
    return [x.strip() for x in print_lane_kernel(made).splitlines()]


def scans(made: LaneKernel | None) -> list[str]:
    return [x for x in text(made) if x.startswith("scan ")]


def sizes(made: LaneKernel | None) -> str:
    return [x for x in text(made) if x.startswith("requires ")][-1]


def run(
    program: LaneKernel,
    module: Module,
    threads: int,
    order: Callable[[int], Iterable[int]] = range,
) -> list[int]:
    y = Memory.of(struct.pack("<256i", *[-9] * 256))
    x = Memory.of(struct.pack("<256i", *IN))
    Block(lane_code(program), module, (threads, 1, 1), order).run(
        {"n": 100, "x": Address(x, 0), "y": Address(y, 0)}
    )
    return list(struct.unpack("<256i", y.data))


def same(found: tuple[LaneKernel, LaneKernel | None, Module], threads: int) -> bool:
    """Whether both programs leave the same, whatever the order of lanes in the lifted one."""
    program, made, module = found
    assert made is not None
    wanted = run(program, module, threads)
    return (
        wanted
        == run(made, module, threads)
        == run(made, module, threads, lambda n: reversed(range(n)))
    )


def doubling(
    result: str = "y[t] = s.[t]",
    first: int = 1,
    length: int = 64,
    own: str = "s.[t]",
    kind: str = "i32",
    take: str = "x[t]",
    moved: str = "step = (step * 2:i32)",
    test: str = "(t >= step)",
) -> str:
    """Every thread takes in the one that is ``step`` before it; the old values are read first."""
    zero = "0:i32" if kind == "i32" else "0.0:f32"
    return f"""{T}shared var s: array<{kind}, {length}>
    s.[t] = {take}
    barrier block
    var step: i32 = {first}:i32
    while (step < {length}:i32) {{
      var other: {kind} = {zero}
      if {test} {{ other = s.[(t - step)] }}
      barrier block
      s.[t] = ({own} + other)
      barrier block
      {moved}
    }}
    {result}"""


def warp(name: str, count: int = 32) -> str:
    """The sums of a warp's lanes up to each by shuffles."""
    return f"""var d_{name}: i32 = 1:i32
    while (d_{name} < {count}:i32) {{
      collective o_{name}: i32 = shfl_up({FULL}, {name}, cast<u32>(d_{name}), 32:i32)
      if ((t % 32:i32) >= d_{name}) {{ {name} = ({name} + o_{name}) }}
      d_{name} = (d_{name} * 2:i32)
    }}
    """


def by_warps(result: str = "y[t] = v", before: str = "((t / 32:i32) - 1:i32)") -> str:
    """Sums of warps, then of the warps' totals, by shuffles."""
    return f"""{T}shared var s: array<i32, 32>
    var own: i32 = x[t]
    var v: i32 = own
    {warp("v")}
    if ((t % 32:i32) == 31:i32) {{ s.[(t / 32:i32)] = v }}
    barrier block
    if (t < 32:i32) {{
      var w: i32 = 0:i32
      if (t < cast<i32>((blockDim.x / 32:u32))) {{ w = s.[t] }}
      {warp("w")}
      s.[t] = w
    }}
    barrier block
    if (t >= 32:i32) {{ v = (v + s.[{before}]) }}
    {result}"""


def up_and_down(items: str = "t", length: int = 128, last: str = "0:i32") -> str:
    """Totals up a tree and down again, two elements a thread."""
    return f"""{T}shared var s: array<i32, {length}>
    s.[{items}] = x[t]
    s.[({items} + 64:i32)] = x[(t + 64:i32)]
    var step: i32 = 1:i32
    var active: i32 = 64:i32
    while (active > 0:i32) {{
      barrier block
      if (t < active) {{
        var a: i32 = ((step * ((2:i32 * t) + 1:i32)) - 1:i32)
        s.[(a + step)] = (s.[(a + step)] + s.[a])
      }}
      step = (step * 2:i32)
      active = (active / 2:i32)
    }}
    barrier block
    if (t == 0:i32) {{
      y[200:i32] = s.[127:i32]
      s.[127:i32] = {last}
    }}
    active = 1:i32
    while (active < 128:i32) {{
      step = (step / 2:i32)
      barrier block
      if (t < active) {{
        var b: i32 = ((step * ((2:i32 * t) + 1:i32)) - 1:i32)
        var kept: i32 = s.[b]
        s.[b] = s.[(b + step)]
        s.[(b + step)] = (s.[(b + step)] + kept)
      }}
      active = (active * 2:i32)
    }}
    barrier block
    y[t] = s.[t]
    y[(t + 64:i32)] = s.[(t + 64:i32)]"""


def test_the_doubling_scan_is_prefix_sums() -> None:
    found = lifted(doubling())
    assert scans(found[1]) == ["scan sums by doubling"]
    assert not any("while" in line for line in text(found[1]))
    assert all(same(found, threads) for threads in (32, 64))


def test_any_element_of_the_sums_can_be_read() -> None:
    found = lifted(doubling("y[t] = s.[(t ^ 1:i32)]"))
    assert "y[t] = sums.[(t ^ 1:i32)]" in text(found[1])
    assert same(found, 64)


def test_members_can_come_in_any_order_of_lanes() -> None:
    found = lifted(up_and_down("(63:i32 - t)"))
    assert "sums.[(63:i32 - t)] = x[t]" in text(found[1])
    assert same(found, 64)


def test_an_exclusive_sum_is_the_one_before() -> None:
    shifted = "if (t > 0:i32) { y[t] = s.[(t - 1:i32)] } if (t == 0:i32) { y[t] = 0:i32 }"
    found = lifted(doubling(shifted))
    assert "y[t] = sums.[(t - 1:i32)]" in text(found[1])
    assert same(found, 64)


def test_the_own_value_can_be_taken_away_again() -> None:
    """An exclusive sum as the inclusive one without the thread's own value, of integers."""
    taken = doubling("y[t] = (s.[t] - own)", take="own").replace(
        "s.[t] = own", "var own: i32 = x[t]\ns.[t] = own"
    )
    found = lifted(taken)
    assert "y[t] = (sums.[t] - own)" in text(found[1])
    assert same(found, 64)


def test_sums_up_and_down_a_tree_are_prefix_sums_of_all_elements() -> None:
    found = lifted(up_and_down())
    assert "block sums: array<i32, 128>" in text(found[1])
    assert "y[200:i32] = sums.[127:i32]" in text(found[1])
    assert sizes(found[1]) == "requires (blockDim.x == 64:u32)"
    assert same(found, 64)


def test_sums_by_shuffles_and_over_warps_are_prefix_sums() -> None:
    found = lifted(by_warps("y[t] = v\ny[(t + 128:i32)] = (v - own)"))
    assert len(scans(found[1])) == 1
    assert sizes(found[1]) == "requires ((blockDim.x % 32:u32) == 0:u32)"
    assert all(same(found, threads) for threads in (32, 96))


def test_a_loop_that_lanes_share_out_runs_over_its_numbers() -> None:
    loop = """for {{ init {{ var {0}: i32 = t }} while ({0} < 64:i32)
      step {{ {0} = cast<i32>((cast<u32>({0}) + blockDim.x)) }} body {{ {1} }} }}"""
    body = doubling(loop.format("q", "y[q] = s.[q]"))
    found = lifted(body.replace("s.[t] = x[t]", loop.format("p", "s.[p] = x[p]")))
    assert "region p < 64 {" in text(found[1])
    assert same(found, 64)


def test_sums_of_floats_keep_their_order() -> None:
    assert scans(lifted(doubling(kind="f32"), "f32")[1]) == ["scan sums by doubling"]


CLOSE = {
    "begins at 2": doubling(first=2),
    "steps that skip": doubling(moved="step = (step * 4:i32)"),
    "one lane too few": doubling(test="(t > step)"),
    "the sum of two elements": doubling("y[t] = (s.[t] + s.[(t / 2:i32)])", own="s.[(t / 2:i32)]"),
    "a partial sum is read as well": doubling(
        "y[t] = s.[t]", moved="y[(t + 64:i32)] = s.[t]\nstep = (step * 2:i32)"
    ),
    "the sum of the sums": doubling(own="(s.[t] + s.[t])"),
    "begins with a number": doubling(own="s.[t]", take="x[t]").replace(
        "var other: i32 = 0:i32", "var other: i32 = 1:i32"
    ),
    "warps by themselves": f"{T}var v: i32 = x[t]\n{warp('v')}y[t] = v",
    "half a warp": f"{T}var v: i32 = x[t]\n{warp('v', 16)}y[t] = v",
    "the warp's own total": by_warps(before="(t / 32:i32)"),
    "a tree that begins with 1": up_and_down(last="1:i32"),
}


@pytest.mark.parametrize("name", CLOSE)
def test_what_is_close_stays_a_lane_program(name: str) -> None:
    assert lifted(CLOSE[name])[1] is None


def test_sums_of_floats_in_an_unknown_order_stay() -> None:
    """Pairs first, then doubling over the pairs."""
    body = doubling(kind="f32").replace("step = (step * 2:i32)", "step = (step + step)")
    odd = body.replace(
        "var step: i32 = 1:i32", "var step: i32 = 1:i32\nif (n > 5:i32) { step = 2:i32 }"
    )
    assert lifted(odd, "f32")[1] is None
