"""Written-out lane programs give CUDA's numbers, whatever the order of the lanes."""

from __future__ import annotations

import struct

import pytest
from lane_interpreter import Block, Order
from support.interpreter import Address, Memory

from migrate.ir.parser import parse_module
from migrate.lifting.bind_lanes import bind_lanes
from migrate.lifting.lane_code import lane_code
from migrate.lifting.regions import split_regions

HEAD = 'mangled "" qualified "" bounds 0'
FULL = "4294967295:u32"
X = "var t: i32 = cast<i32>(threadIdx.x)\nvar v: i32 = x[t]\n"
FORWARD: Order = range
BACKWARD: Order = lambda n: reversed(range(n))  # noqa: E731
IN = [(k * 37 + 11) % 101 - 50 for k in range(96)]


def run(
    body: str, threads: int, n: int = 0, block: tuple[int, int, int] | None = None
) -> list[int]:
    """What the kernel leaves in ``y`` (-9 where nothing was written)."""
    params = "n: i32, x: ptr<global const, i32>, y: ptr<global, i32>"
    module = parse_module(f'module "m"\nkernel k "k" ({params}) {HEAD} {{\n{body}\n}}\n')
    code = lane_code(split_regions(module.kernels[0], module))
    results = []
    for made, order in ((code, FORWARD), (code, BACKWARD), (bind_lanes(code), FORWARD)):
        y = Memory.of(struct.pack("<96i", *[-9] * 96))
        x = Memory.of(struct.pack("<96i", *IN))
        one = Block(made, module, block or (threads, 1, 1), order)
        one.run({"n": n, "x": Address(x, 0), "y": Address(y, 0)})
        results.append(list(struct.unpack("<96i", y.data)))
    assert all(r == results[0] for r in results)
    return results[0][:threads]


def shuffle(op: str, amount: str, width: int = 32) -> str:
    kind = "u32" if op in ("shfl_up", "shfl_down") else "i32"
    return f"{X}collective o: i32 = {op}({FULL}, v, {amount}:{kind}, {width}:i32)\ny[t] = o"


@pytest.mark.parametrize("width", [32, 8])
def test_shuffles_stay_within_their_width(width: int) -> None:
    def first(k: int) -> int:
        return k - k % width

    got = run(shuffle("shfl_down", "3", width), 64)
    assert got == [IN[k + 3] if k % width + 3 < width else IN[k] for k in range(64)]
    got = run(shuffle("shfl_up", "2", width), 64)
    assert got == [IN[k - 2] if k % width >= 2 else IN[k] for k in range(64)]
    got = run(shuffle("shfl", "5", width), 64)
    assert got == [IN[first(k) + 5] for k in range(64)]
    got = run(shuffle("shfl", str(width + 1), width), 64)
    assert got == [IN[first(k) + 1] for k in range(64)]
    got = run(shuffle("shfl_xor", "4", width), 64)
    assert got == [IN[k ^ 4] for k in range(64)]
    got = run(shuffle("shfl_xor", "16", width), 64)
    assert got == [IN[k ^ 16] if (k ^ 16) < first(k) + width else IN[k] for k in range(64)]


def test_a_last_warp_of_few_lanes_reads_nothing_beyond_the_block() -> None:
    got = run(shuffle("shfl_down", "3"), 37)
    assert got[:29] == [IN[k + 3] for k in range(29)]
    assert got[32:34] == IN[35:37]


def test_warps_follow_the_linear_order_of_a_block_of_rows() -> None:
    body = f"""var t: i32 = cast<i32>((threadIdx.x + (threadIdx.y * blockDim.x)))
    collective o: i32 = shfl({FULL}, x[t], 31:i32, 32:i32)
    y[t] = o"""
    assert run(body, 64, block=(16, 4, 1)) == [IN[31]] * 32 + [IN[63]] * 32


def test_votes_count_the_lanes_that_are_there() -> None:
    """Behind an early return the others do not count."""
    body = f"""var t: i32 = cast<i32>(threadIdx.x)
    if (t < n) {{
      collective {{op}}: {{kind}} = {{op}}({FULL}, cast<i32>((x[t] > 0:i32)))
      y[t] = cast<i32>({{op}})
    }}"""
    n = 45
    bits = [sum(1 << k for k in range(32) if w + k < n and IN[w + k] > 0) for w in (0, 32)]
    signed = [b - (1 << 32) if b >> 31 else b for b in bits]
    got = run(body.replace("{op}", "ballot").replace("{kind}", "u32"), 64, n)
    assert got == [signed[k // 32] if k < n else -9 for k in range(64)]
    got = run(body.replace("{op}", "any").replace("{kind}", "i32"), 64, n)
    assert got == [1] * n + [-9] * (64 - n)
    positive = body.replace("(x[t] > 0:i32)", "((t >= 32:i32) || (x[t] > 0:i32))")
    got = run(positive.replace("{op}", "all").replace("{kind}", "i32"), 64, n)
    assert got == [0] * 32 + [1] * (n - 32) + [-9] * (64 - n)


def test_lanes_with_the_same_value_and_reductions_find_each_other() -> None:
    body = f"""{X}collective m: u32 = match_any({FULL}, (v & 3:i32))
    y[t] = cast<i32>(m)"""
    want = [sum(1 << k for k in range(32) if IN[k] & 3 == IN[t] & 3) for t in range(32)]
    assert run(body, 32) == [w - (1 << 32) if w >> 31 else w for w in want]
    for op, fold in (("min", min), ("max", max), ("add", lambda *a: sum(a))):
        got = run(f"{X}collective r: i32 = reduce_{op}({FULL}, v)\ny[t] = r", 64)
        assert got == [fold(*IN[:32])] * 32 + [fold(*IN[32:64])] * 32


def test_members_of_a_mask_alone_are_counted() -> None:
    body = f"""{X}var half: u32 = (((t & 16:i32) == 0:i32) ? 65535:u32 : 4294901760:u32)
    collective b: u32 = ballot(half, cast<i32>((v > 0:i32)))
    y[t] = cast<i32>((b >> 1:i32))"""
    bits = [sum(1 << k for k in range(s, s + 16) if IN[k] > 0) >> 1 for s in (0, 16)]
    assert run(body, 32) == [bits[0]] * 16 + [bits[1]] * 16


def test_a_tree_in_shared_memory_and_a_vote_of_the_block() -> None:
    body = f"""{X}shared var s: array<i32, 64>
    s.[t] = v
    for {{
      init {{ var h: i32 = 32:i32 }} while (h > 0:i32) step {{ h = (h >> 1:i32) }}
      body {{
        barrier block
        if (t < h) {{ s.[t] = (s.[t] + s.[(t + h)]) }}
      }}
    }}
    barrier block
    collective c: i32 = syncthreads_count(cast<i32>((v > 0:i32)))
    if (c > n) {{
      barrier block
      y[t] = (s.[0:i32] + c)
    }}"""
    count = sum(v > 0 for v in IN[:64])
    assert run(body, 64, count - 1) == [sum(IN[:64]) + count] * 64
    assert run(body, 64, count) == [-9] * 64


def test_warps_leave_a_loop_at_different_rounds() -> None:
    """Warp w folds rows w, w + 3, ...: three rows for the first, two for the others."""
    body = f"""var t: i32 = cast<i32>(threadIdx.x)
    var row: i32 = (t / 32:i32)
    var total: i32 = 0:i32
    while (row < n) {{
      collective o: i32 = shfl_xor({FULL}, (x[(t & 31:i32)] + row), 1:i32, 32:i32)
      total = (total + o)
      row = (row + 3:i32)
    }}
    y[t] = total"""
    want = []
    for t in range(96):
        rows = range(t // 32, 7, 3)
        want.append(sum(IN[(t & 31) ^ 1] + r for r in rows))
    assert run(body, 96, 7) == want


def test_threads_that_end_in_a_loop_with_barriers_leave_the_others_in_step() -> None:
    """A thread's rounds are its own number; each round all that are left read what one wrote."""
    body = f"""{X}shared var s: array<i32, 1>
    var k: i32 = 0:i32
    var sum: i32 = 0:i32
    while (k < t) {{
      if (t == 36:i32) {{ s.[0:i32] = (k * 3:i32) }}
      barrier block
      sum = (sum + s.[0:i32])
      barrier block
      y[t] = sum
      k = (k + 1:i32)
    }}"""
    got = run(body, 37)
    assert got == [-9] + [3 * (t * (t - 1) // 2) for t in range(1, 37)]
