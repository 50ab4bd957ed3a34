"""Reductions over a block: what is recognised, for which blocks, and what is close and is not."""

from __future__ import annotations

import struct

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

HEAD = 'mangled "" qualified "" bounds 0'
FULL = "4294967295:u32"
T = "var t: i32 = cast<i32>(threadIdx.x)\n"
POWER = "((blockDim.x & (blockDim.x - 1:u32)) == 0:u32)"
WARPS = "((blockDim.x % 32:u32) == 0:u32)"
IN = [(k * 37 + 11) % 101 - 50 for k in range(1024)]


def lifted(body: str, kind: str = "i32") -> tuple[LaneKernel, LaneKernel | None, Module]:
    params = f"n: i32, x: ptr<global const, {kind}>, y: ptr<global, {kind}>"
    module = parse_module(f'module "m"\nkernel k "k" ({params}) {HEAD} {{\n{body}\n}}\n')
    program = split_regions(module.kernels[0], module)
    return program, block_tiles(program, module), module


def blocks(made: LaneKernel | None) -> str:
    """The condition on ``blockDim.x``, behind those of the other axes."""
    assert made is not None
    lines = print_lane_kernel(made).splitlines()
    return [x.strip().removeprefix("requires ") for x in lines if "requires" in x][-1]


def reductions(made: LaneKernel | None) -> list[str]:
    assert made is not None
    lines = [x.strip() for x in print_lane_kernel(made).splitlines()]
    return [x.split(" = ")[1] for x in lines if x.startswith("reduce ")]


def run(program: LaneKernel, module: Module, threads: int) -> list[int]:
    y = Memory.of(struct.pack("<64i", *[-9] * 64))
    x = Memory.of(struct.pack("<1024i", *IN))
    code = lane_code(program)
    Block(code, module, (threads, 1, 1), range).run(
        {"n": 700, "x": Address(x, 0), "y": Address(y, 0)}
    )
    return list(struct.unpack("<64i", y.data))


def combined(op: str, a: str, b: str, kind: str = "i32") -> str:
    if op == "+":
        return f"({a} + {b})"
    name = op if kind == "i32" else f"f{op}f"
    return f"call<{kind}> {name}({a}, {b})"


def tree(op: str = "+", first: str = "(blockDim.x / 2:u32)", kind: str = "i32") -> str:
    """A stride that halves; every other thread has nothing to do."""
    fold = combined(op, "s.[t]", "s.[(t + half)]", kind)
    return f"""{T}shared var s: array<{kind}, 1024>
    s.[t] = x[t]
    barrier block
    var half: i32 = cast<i32>({first})
    while (half > 0:i32) {{
      if (t < half) {{ s.[t] = {fold} }}
      barrier block
      half = (half / 2:i32)
    }}
    if (t == 0:i32) {{ y[0:i32] = s.[0:i32] }}"""


def ladder(name: str, op: str, how: str = "shfl_xor", first: int = 16, kind: str = "i32") -> str:
    """A warp's fold of ``name`` by shuffles."""
    amount = "i32" if how == "shfl_xor" else "u32"
    step = f"d_{name}" if how == "shfl_xor" else f"cast<u32>(d_{name})"
    del amount
    return f"""var d_{name}: i32 = {first}:i32
    while (d_{name} > 0:i32) {{
      collective o_{name}: {kind} = {how}({FULL}, {name}, {step}, 32:i32)
      {name} = {combined(op, name, f"o_{name}", kind)}
      d_{name} = (d_{name} / 2:i32)
    }}
    """


def by_warps(op: str = "+", kind: str = "i32", rest: str = "0:i32", how: str = "shfl_xor") -> str:
    """A warp's fold, one slot a warp, and the fold of the slots in every warp."""
    return f"""{T}shared var s: array<{kind}, 32>
    var v: {kind} = x[t]
    {ladder("v", op, how, kind=kind)}
    if ((t % 32:i32) == 0:i32) {{ s.[(t / 32:i32)] = v }}
    barrier block
    var w: {kind} = {rest}
    if ((t % 32:i32) < cast<i32>((blockDim.x / 32:u32))) {{ w = s.[(t % 32:i32)] }}
    {ladder("w", op, how, kind=kind)}
    if (t == 0:i32) {{ y[0:i32] = w }}"""


@pytest.mark.parametrize("op", ["+", "max", "min"])
def test_a_tree_in_shared_memory_is_a_reduction_for_powers_of_two(op: str) -> None:
    program, made, module = lifted(tree(op))
    word = {"+": "sum", "max": "max", "min": "min"}[op]
    assert reductions(made) == [f"{word}(partial) by halves"]
    assert blocks(made) == POWER
    assert made is not None and not made.arrays
    for threads in (1, 2, 64, 128):
        assert run(made, module, threads) == run(program, module, threads)


@pytest.mark.parametrize("how", ["shfl_xor", "shfl_down"])
@pytest.mark.parametrize(("op", "rest"), [("+", "0:i32"), ("max", "-2147483648:i32")])
def test_warps_and_then_their_results_are_a_reduction_for_whole_warps(
    how: str, op: str, rest: str
) -> None:
    program, made, module = lifted(by_warps(op, rest=rest, how=how))
    assert blocks(made) == WARPS
    assert made is not None and not made.arrays
    for threads in (32, 96):
        assert run(made, module, threads) == run(program, module, threads)


def test_a_fold_within_a_warp_is_none_over_the_block() -> None:
    """It would be for a block of one warp, and nothing says that launches have that."""
    assert lifted(f"{T}var v: i32 = x[t]\n{ladder('v', '+')}y[t] = v")[1] is None


def test_additions_to_one_shared_number_are_a_reduction() -> None:
    program, made, module = lifted(
        f"""{T}shared var s: i32
        if (t == 0:i32) {{ s = 0:i32 }}
        barrier block
        atomic _ = add device s(x[t])
        barrier block
        if (t == 1:i32) {{ y[0:i32] = s }}"""
    )
    assert reductions(made)[0].startswith("sum(partial)")
    assert made is not None
    assert run(made, module, 64) == run(program, module, 64)


def test_a_counter_declared_apart_from_its_loop_stays_declared() -> None:
    body = tree().replace(
        "s.[t] = x[t]",
        """var sum: i32 = 0:i32
        var i: i32
        for { init { i = t } while (i < n) step { i = (i + 64:i32) }
        body { sum = (sum + x[i]) } }
        s.[t] = sum""",
    )
    program, made, module = lifted(body)
    assert reductions(made) == ["sum(sum) by halves"]
    assert made is not None
    for threads in (32, 64):
        assert run(made, module, threads) == run(program, module, threads)


def test_what_each_thread_adds_up_before_lies_in_a_loop_over_tiles() -> None:
    body = tree().replace(
        "s.[t] = x[t]",
        """var sum: i32 = 0:i32
        for { init { var i: i32 = t } while (i < n) step { i = (i + cast<i32>(blockDim.x)) }
        body { sum = (sum + x[i]) } }
        s.[t] = sum""",
    )
    program, made, module = lifted(body)
    assert reductions(made) == ["sum(sum) by halves"]
    assert made is not None
    text = print_lane_kernel(made)
    assert "while (k < ((n + (cast<i32>(blockDim.x) - 1:i32)) / cast<i32>(blockDim.x))) {" in text
    assert "for {" not in text
    for threads in (1, 64, 512):
        assert run(made, module, threads) == run(program, module, threads)


def test_a_largest_value_with_a_floor_keeps_it() -> None:
    program, made, module = lifted(
        f"""{T}shared var s: i32
        if (t == 0:i32) {{ s = 49:i32 }}
        barrier block
        atomic _ = max device s(x[t])
        barrier block
        if (t == 1:i32) {{ y[0:i32] = s }}"""
    )
    assert made is not None and "49:i32" in print_lane_kernel(made)
    assert run(made, module, 32) == run(program, module, 32)


@pytest.mark.parametrize("block", [64, 256])
def test_a_tree_of_fixed_length_is_one_for_blocks_of_that_length(block: int) -> None:
    fixed = tree(first=f"{block // 2}:u32").replace("array<i32, 1024>", f"array<i32, {block}>")
    assert blocks(lifted(fixed)[1]) == f"(blockDim.x == {block}:u32)"


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_sums_of_floats_are_lifted_when_their_order_is_known(kind: str) -> None:
    assert reductions(lifted(tree(kind=kind), kind)[1]) == ["sum(partial) by halves"]
    grows = tree(kind=kind, first="1:u32")
    grows = grows.replace("half > 0:i32", "half < cast<i32>(blockDim.x)")
    grows = grows.replace("if (t < half)", "if ((t % (half * 2:i32)) == 0:i32)")
    grows = grows.replace("(half / 2:i32)", "(half * 2:i32)")
    assert reductions(lifted(grows, kind)[1]) == ["sum(partial) by neighbours"]


def one_thread_at_the_end(within: str, kind: str = "f32", slots: int = 32) -> str:
    """A warp's fold, and thread 0 that goes through the slots of the warps."""
    return f"""{T}shared var s: array<{kind}, {slots}>
    var v: {kind} = x[t]
    {within}
    if ((t % 32:i32) == 0:i32) {{ s.[(t / 32:i32)] = v }}
    barrier block
    if (t == 0:i32) {{
      for {{ init {{ var w: i32 = 1:i32 }} while (w < cast<i32>((blockDim.x / 32:u32)))
      step {{ w = (w + 1:i32) }} body {{ v = (v + s.[w]) }} }}
      y[0:i32] = v
    }}"""


def neighbours(name: str, kind: str) -> str:
    grows = ladder(name, "+", "shfl_down", 1, kind)
    return grows.replace(f"(d_{name} > 0:i32)", f"(d_{name} < 32:i32)").replace(
        "/ 2:i32", "* 2:i32"
    )


def test_the_last_thread_that_goes_through_the_warps_is_part_of_the_order() -> None:
    program, made, module = lifted(one_thread_at_the_end(ladder("v", "+", kind="f32")), "f32")
    assert reductions(made) == ["sum(v) by warps, then serial"]
    assert blocks(made) == WARPS
    found = lifted(one_thread_at_the_end(neighbours("v", "f32")), "f32")[1]
    assert reductions(found) == ["sum(v) by neighbours, then serial"]
    whole = one_thread_at_the_end(ladder("v", "+"), "i32")
    program, made, module = lifted(whole)
    assert made is not None
    for threads in (32, 96, 256):
        assert run(made, module, threads) == run(program, module, threads)


def test_room_for_some_warps_is_room_for_blocks_of_as_many() -> None:
    few = one_thread_at_the_end(ladder("v", "+"), "i32", slots=8)
    assert "(blockDim.x == 256:u32)" in blocks(lifted(few)[1])
    assert "(blockDim.x == 512:u32)" not in blocks(lifted(few)[1])


def test_a_warp_that_is_left_out_is_no_reduction_of_the_block() -> None:
    skips = one_thread_at_the_end(ladder("v", "+"), "i32").replace(
        "= 1:i32 } while", "= 2:i32 } while"
    )
    assert lifted(skips)[1] is None


RANK = "(threadIdx.x + ((threadIdx.y + (threadIdx.z * blockDim.y)) * blockDim.x))"


def test_the_number_of_a_thread_in_a_block_of_one_row() -> None:
    ranked = tree().replace(T, f"var t: i32 = cast<i32>({RANK})\n")
    assert "threadIdx.y" in ranked
    made = lifted(ranked)[1]
    assert reductions(made) == ["sum(partial) by halves"]
    text = print_lane_kernel(made) if made is not None else ""
    assert "threadIdx.y" not in text and "requires (blockDim.y == 1:u32)" in text


@pytest.mark.parametrize(
    "other",
    [
        "(threadIdx.x + ((threadIdx.y + (threadIdx.z * blockDim.x)) * blockDim.x))",
        "(threadIdx.x + (threadIdx.y * blockDim.x))",
        "(threadIdx.y + ((threadIdx.x + (threadIdx.z * blockDim.y)) * blockDim.x))",
    ],
)
def test_other_sums_of_axes_are_no_number_of_a_thread(other: str) -> None:
    assert lifted(tree().replace(T, f"var t: i32 = cast<i32>({other})\n"))[1] is None


def test_where_the_rest_of_the_slots_is_not_0_only_the_largest_block_would_do() -> None:
    assert lifted(by_warps(rest="1:i32"))[1] is None


BROADCAST = """
    shared var f: i32
    barrier block
    if (t == 0:i32) {{ f = {value} }}
    barrier block
    y[t] = (f - x[t])"""


def broadcast(value: str) -> str:
    return tree().replace("if (t == 0:i32) { y[0:i32] = s.[0:i32] }", "") + BROADCAST.format(
        value=value
    )


def test_what_one_thread_leaves_for_all_is_a_value_of_the_block() -> None:
    program, made, module = lifted(broadcast("(s.[0:i32] + n)"))
    assert made is not None and not made.arrays
    assert "once given = (total + n)" in print_lane_kernel(made)
    for threads in (2, 32):
        assert run(made, module, threads) == run(program, module, threads)


NEAR_MISSES = {
    "one thread leaves a value of its own": broadcast("(s.[0:i32] + x[t])"),
    "every thread leaves its own": broadcast("s.[0:i32]").replace(
        "if (t == 0:i32) { f = s.[0:i32] }", "f = (s.[0:i32] + t)"
    ),
    "half of the lanes are left out": tree(first="(blockDim.x / 4:u32)"),
    "neighbours overlap": tree().replace("(t + half)", "((t + half) - 1:i32)"),
    "the last level is missing": tree().replace("half > 0:i32", "half > 1:i32"),
    "the result is that of another element": tree().replace("= s.[0:i32]", "= s.[1:i32]"),
    "another element is read as well": tree() + "\nif (t == 1:i32) { y[1:i32] = s.[1:i32] }",
    "the levels subtract": tree().replace("(s.[t] + s", "(s.[t] - s"),
    "a level multiplies": tree().replace("(s.[t] + s", "(s.[t] * s"),
    "the ladder begins at 8": f"{T}var v: i32 = x[t]\n{ladder('v', '+', first=8)}y[t] = v",
    "each warp has a result of its own": f"""{T}var v: i32 = x[t]
        {ladder("v", "+")}
        barrier block
        y[t] = (v + cast<i32>(blockDim.y))
        shared var s: array<i32, 64>
        s.[t] = v
        barrier block
        y[t] = s.[(63:i32 - t)]""",
    "the sum begins with another number": """var t: i32 = cast<i32>(threadIdx.x)
        shared var s: i32
        if (t == 0:i32) { s = 5:i32 }
        barrier block
        atomic _ = add device s(x[t])
        barrier block
        if (t == 1:i32) { y[0:i32] = s }""",
    "the block has rows": tree().replace("x[t]", "x[(t + cast<i32>(threadIdx.y))]"),
    "the stride depends on the data": tree().replace("(half / 2:i32)", "(half / x[0:i32])"),
}


@pytest.mark.parametrize("name", sorted(NEAR_MISSES))
def test_near_misses_stay_lane_programs(name: str) -> None:
    assert lifted(NEAR_MISSES[name])[1] is None


def test_a_sum_of_floats_in_an_unknown_order_stays_a_lane_program() -> None:
    body = tree(kind="f32", first="1:u32")
    body = body.replace("half > 0:i32", "half < cast<i32>(blockDim.x)")
    body = body.replace("if (t < half)", "if ((t % (half * 2:i32)) == (half - 1:i32))")
    body = body.replace("s.[(t + half)]", "s.[(t + half)]").replace(
        "(half / 2:i32)", "(half * 2:i32)"
    )
    assert lifted(body, "f32")[1] is None
