"""The split of a kernel into regions: textual IR in, a lane program as text out."""

from __future__ import annotations

import pytest

from migrate.core.codes import lifting as codes
from migrate.core.diagnostics import Code
from migrate.ir.lanes_text import print_lane_kernel
from migrate.ir.parser import parse_module
from migrate.lifting.refusal import Refused
from migrate.lifting.regions import split_regions

HEAD = 'mangled "" qualified "" bounds 0'
PARAMS = "n: i32, x: ptr<global, f32>"
T = "var t: i32 = cast<i32>(threadIdx.x)\n"


def split(body: str) -> list[str]:
    """The lines of the lane program, without its head and without indentation."""
    module = parse_module(f'module "m"\nkernel k "k" ({PARAMS}) {HEAD} {{\n{body}\n}}\n')
    text = print_lane_kernel(split_regions(module.kernels[0], module))
    return [line.strip() for line in text.splitlines()[1:]]


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


def refused(body: str, code: Code, *parts: str) -> None:
    with pytest.raises(Refused) as found:
        split(body)
    assert found.value.diagnostic.code == code
    for part in parts:
        assert part in found.value.diagnostic.cause


def test_a_barrier_ends_a_region_and_values_across_it_become_buffers() -> None:
    got = split(
        f"""{T}shared var s: array<f32, 64>
        var v: f32 = x[t]
        var twice: f32 = (v + v)
        s.[t] = twice
        barrier block
        x[t] = (s.[(63:i32 - t)] + v)"""
    )
    assert got == lines(
        """
        block s: array<f32, 64>
        lane v: f32
        region {
          var t: i32 = cast<i32>(threadIdx.x)
          v = x[t]
          var twice: f32 = (v + v)
          s.[t] = twice
        }
        region {
          var t: i32 = cast<i32>(threadIdx.x)
          x[t] = (s.[(63:i32 - t)] + v)
        }
        """
    )


def test_a_loop_that_the_block_takes_together_stays_a_loop() -> None:
    got = split(
        f"""{T}shared var s: array<f32, 64>
        s.[t] = x[t]
        for {{
          init {{ var h: i32 = (n / 2:i32) }}
          while (h > 0:i32)
          step {{ h = (h / 2:i32) }}
          body {{
            barrier block
            if (t < h) {{ s.[t] = (s.[t] + s.[(t + h)]) }}
          }}
        }}"""
    )
    assert "once h: i32" in got
    at = got.index("while (h > 0:i32) {")
    assert got[at - 1] == "once h = (n / 2:i32)"
    assert got[-3:] == ["step {", "once h = (h / 2:i32)", "}"]
    assert got.count("region {") == 2


def test_an_early_return_is_a_mask_even_round_barriers() -> None:
    got = split(
        f"""{T}shared var s: array<f32, 64>
        if (t < n) {{
          s.[t] = x[t]
          barrier block
          x[t] = s.[0:i32]
        }}"""
    )
    assert "active = (t < n)" in got
    assert got.count("region where active {") == 2


def test_a_barrier_that_threads_reach_differently_is_refused_with_both_lines() -> None:
    refused(
        f"""{T}if (t < n) {{
          x[t] = 1.0:f32
          barrier block
        }}
        x[t] = 2.0:f32""",
        codes.HAS_BARRIER,
        "a barrier in line",
        "lies in a branch or loop in line",
    )


def test_a_loop_that_threads_leave_for_good_keeps_the_others_together() -> None:
    """Behind the loop a thread ends, and CUDA counts it no more."""
    got = split(
        f"""{T}var i: i32 = t
        while (i < n) {{
          x[i] = 1.0:f32
          barrier block
          i = (i + 64:i32)
        }}"""
    )
    at = got.index("while more {")
    assert got[at - 1] == "once more = (left != 0:i32)"
    assert "running = (i < n)" in got
    assert "exchange left = syncthreads_or(given)" in got


def test_sides_that_wait_alike_go_side_by_side() -> None:
    got = split(
        f"""{T}if (t < 32:i32) {{
          x[t] = 1.0:f32
          barrier block
        }} else {{
          x[t] = 2.0:f32
          barrier block
          x[t] = 3.0:f32
        }}"""
    )
    assert got.count("region {") == 2


@pytest.mark.parametrize("test", ["t < 16:i32", "t < n", "(t % 2:i32) == 0:i32"])
def test_a_barrier_that_threads_are_sure_to_pass_by_is_refused(test: str) -> None:
    refused(
        f"""{T}if ({test}) {{
          x[t] = 1.0:f32
          barrier block
        }}
        x[t] = 2.0:f32""",
        codes.HAS_BARRIER,
    )
    refused(
        f"""{T}while ({test}) {{
          barrier block
        }}
        x[t] = 2.0:f32""",
        codes.HAS_BARRIER,
    )


def test_a_test_of_memory_may_come_out_the_same_for_all() -> None:
    got = split(
        f"""{T}if (x[t] > 0.0:f32) {{
          x[t] = 1.0:f32
          barrier block
        }}
        x[t] = 2.0:f32"""
    )
    assert got.count("region {") == 2


def test_a_counter_of_two_loops_is_two_variables() -> None:
    """The first walks each thread's own elements, the second counts steps of the block."""
    got = split(
        f"""{T}shared var s: array<f32, 64>
        var i: i32 = t
        while (i < n) {{
          s.[t] = x[i]
          i = (i + 64:i32)
        }}
        i = 32:i32
        while (i > 0:i32) {{
          barrier block
          if (t < i) {{ s.[t] = (s.[t] + s.[(t + i)]) }}
          i = (i / 2:i32)
        }}"""
    )
    assert "once i_2: i32" in got
    assert "while (i_2 > 0:i32) {" in got


SHUFFLE = "collective o: f32 = shfl_down(4294967295:u32, v, 1:u32, 32:i32)\nv = (v + o)"


def test_a_branch_of_whole_warps_runs_under_a_mask() -> None:
    got = split(
        f"""{T}var v: f32 = x[t]
        if ((t / 32:i32) == 0:i32) {{ {SHUFFLE} }}
        x[t] = v"""
    )
    assert got[0].startswith("requires (((blockDim.y * blockDim.z) == 1:u32) ||")
    assert "active = ((t / 32:i32) == 0:i32)" in got
    assert "exchange o = shfl_down(v, 1:u32, 32:i32) where active" in got


def test_a_loop_of_whole_warps_goes_on_while_a_lane_is_left() -> None:
    got = split(
        f"""{T}var row: i32 = (t / 32:i32)
        while (row < n) {{
          var v: f32 = x[row]
          {SHUFFLE}
          x[row] = v
          row = (row + 4:i32)
        }}"""
    )
    assert "any running {" in got
    assert got[-4:] == ["row = (row + 4:i32)", "running = (row < n)", "}", "}"]


def test_a_shuffle_in_a_branch_that_divides_a_warp_is_refused() -> None:
    refused(
        f"""{T}var v: f32 = x[t]
        if ((t & 1:i32) == 0:i32) {{ {SHUFFLE} }}
        x[t] = v""",
        codes.HAS_WARP_OPERATION,
        "shfl_down in line",
        "that lanes of a warp can take differently",
    )


def test_a_mask_that_names_the_branch_makes_it_legal() -> None:
    masked = SHUFFLE.replace("4294967295:u32", "m")
    body = f"""{T}var v: f32 = x[t]
        collective m: u32 = ballot(4294967295:u32, cast<i32>((t < n)))
        if ({{test}}) {{ {masked} }}
        x[t] = v"""
    assert "exchange o = shfl_down(v, 1:u32, 32:i32) where active" in split(
        body.replace("{test}", "t < n")
    )
    refused(body.replace("{test}", "t <= n"), codes.HAS_WARP_OPERATION)


def test_a_constant_mask_has_to_name_the_lanes_of_the_test() -> None:
    body = f"""{T}var v: f32 = x[t]
        if ((t & 31:i32) < 16:i32) {{ {SHUFFLE} }}
        x[t] = v"""
    refused(body, codes.HAS_WARP_OPERATION)
    assert split(body.replace("4294967295", "65535"))


def test_breaks_of_a_loop_with_barriers_become_its_test() -> None:
    got = split(
        f"""{T}shared var s: array<f32, 64>
        var i: i32 = 0:i32
        while (i < n) {{
          s.[t] = x[t]
          barrier block
          if (s.[0:i32] > 1.0:f32) {{ break }}
          barrier block
          i = (i + 1:i32)
        }}"""
    )
    assert "while ((! left) && (i < n)) {" in got
    assert "once left = true" in got


def test_what_a_lane_tests_in_memory_under_a_mask_stays_with_the_lanes() -> None:
    """The block variable would be read even where no lane is left to read it."""
    got = split(
        f"""{T}if (t < n) {{
          if (x[blockIdx.x] > 0.0:f32) {{
            barrier block
            x[t] = 0.0:f32
          }}
        }}"""
    )
    assert "active_2 = (x[blockIdx.x] > 0.0:f32)" in got


def test_a_vote_of_the_block_sets_a_block_variable() -> None:
    got = split(
        f"""{T}collective c: i32 = syncthreads_count(cast<i32>((x[t] > 0.0:f32)))
        if (c > 3:i32) {{
          barrier block
          x[t] = cast<f32>(c)
        }}"""
    )
    assert "once c: i32" in got
    assert "exchange c = syncthreads_count(given)" in got
    assert "if (c > 3:i32) {" in got


def test_a_vote_of_the_block_is_a_block_variable_for_lanes_too() -> None:
    got = split(
        f"""{T}collective c: i32 = syncthreads_or(cast<i32>((x[t] > 0.0:f32)))
        x[t] = cast<f32>(c)"""
    )
    assert got[-3:] == ["var t: i32 = cast<i32>(threadIdx.x)", "x[t] = cast<f32>(c)", "}"]
    assert "once c: i32" in got


def test_a_barrier_of_the_grid_is_refused() -> None:
    refused("barrier grid", codes.HAS_BARRIER)


def test_the_number_of_a_thread_in_its_plane_divides_into_warps() -> None:
    warp = "((threadIdx.x + (threadIdx.y * blockDim.x)) / 32:u32)"
    shuffle = (
        "collective v: i32 = shfl_down(4294967295:u32, n, 1:i32, 32:i32)\nx[0:i32] = cast<f32>(v)"
    )
    module = parse_module(
        f'module "m"\nkernel k "k" ({PARAMS}) {HEAD} {{\n'
        f"if ({warp} == 0:u32) {{ {shuffle} }}\nx[1:i32] = 1.0:f32 }}\n"
    )
    assert len(split_regions(module.kernels[0], module).requires) == 1
    other = warp.replace("threadIdx.y", "threadIdx.z")
    refused(f"if ({other} == 0:u32) {{ {shuffle} }} x[1:i32] = 1.0:f32", codes.HAS_WARP_OPERATION)
