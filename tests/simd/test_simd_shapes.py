"""What becomes vector code, and the near-misses that must not."""

from __future__ import annotations

import pytest
from harness import lifted, text_of
from kernels import SOURCES, XY, kernel

from migrate.core.options import DoublePolicy
from migrate.core.rung import Rung
from migrate.ir.tile import (
    Clip,
    CopyIn,
    CopyOut,
    LaneLoop,
    Map,
    MapOp,
    TileFor,
    TileKernel,
    TileStmt,
    tile_bodies,
)
from migrate.ir.tile_text import print_tile_kernel


def program(source: str) -> TileKernel:
    made = lifted(source)
    assert made.tile is not None, made.diagnostics
    return made.tile


def all_of(body: tuple[TileStmt, ...]) -> list[TileStmt]:
    return [x for s in body for x in (s, *(y for b in tile_bodies(s) for y in all_of(b)))]


def kinds(source: str) -> list[str]:
    return [type(s).__name__ for s in all_of(program(source).body)]


def test_a_map_is_copies_and_vector_operations() -> None:
    made = program(SOURCES["saxpy"])
    assert kinds(SOURCES["saxpy"]) == ["CopyIn", "Map", "CopyIn", "Map", "CopyOut"]
    assert made.limit is not None  # the guard became the number of lanes
    assert made.lane_name == "i"


def test_stride_two_is_no_copy_in() -> None:
    found = kinds(SOURCES["stride_two"])
    assert "CopyIn" not in found
    assert "LaneLoop" in found
    assert "CopyOut" in found


def test_a_descending_index_is_no_run() -> None:
    assert "CopyIn" not in kinds(SOURCES["reversed"])


def test_a_store_of_some_lanes_writes_only_theirs() -> None:
    assert lifted(SOURCES["others_store"]).rung is Rung.SCALAR
    assert "CopyOut" not in kinds(SOURCES["others_store"])


def test_a_store_under_a_mask_needs_the_old_value_at_hand() -> None:
    assert "Choose" in kinds(SOURCES["some_store"])
    two = kernel(
        "two_roots",
        "n: i32, x: ptr<global, f32>, y: ptr<global, f32>",
        "if (i < n) { if (y[i] < x[i]) { y[i] = x[i] }\n x[(i + 1:i32)] = 0.0:f32 }",
    )
    assert "Choose" not in kinds(two)  # the other store may be to the same element


def test_a_masked_store_in_rows_is_not_written_back() -> None:
    rows = kernel(
        "rows",
        XY,
        "if (i < n) { if (x[(i + (n * cast<i32>(threadIdx.y)))] > y[i]) { y[i] = 1.0:f32 } }",
    )
    assert "Choose" not in kinds(rows)


@pytest.mark.parametrize(("flag", "ordered"), [("", True), (" restrict", False)])
def test_a_load_after_a_store_waits_unless_restrict_forbids_an_alias(
    flag: str, ordered: bool
) -> None:
    source = kernel(
        "after",
        f"n: i32, x: ptr<global{flag}, f32>, y: ptr<global{flag}, f32>",
        "if (i < n) { y[i] = 2.0:f32\n var v: f32 = x[i]\n x[i] = (v * v) }",
    )
    loads = [s for s in all_of(program(source).body) if isinstance(s, CopyIn)]
    assert [s.ordered for s in loads] == [ordered]


def test_a_load_after_an_own_store_is_fresh() -> None:
    source = kernel(
        "again",
        XY,
        "if (i < n) { y[(i * 2:i32)] = 1.0:f32\n y[(i * 3:i32)] = (y[(i * 2:i32)] + x[i]) }",
    )
    loops = [s for s in all_of(program(source).body) if isinstance(s, LaneLoop)]
    assert loops
    assert all(s.fresh for s in loops if "y[" in print_tile_kernel(program(source)))


def test_an_unsigned_guard_that_may_wrap_is_no_bound() -> None:
    source = (
        'kernel wrapped "wrapped" (n: u32, x: ptr<global const, f32>, y: ptr<global, f32>) '
        'mangled "" qualified "" bounds 0 {\n'
        "  var i: u32 = ((blockIdx.x * blockDim.x) + threadIdx.x)\n"
        "  if ((i - 1:u32) < n) { y[i] = x[(i - 1:u32)] }\n}\n"
    )
    found = all_of(program(source).body)
    assert not any(isinstance(s, Clip | CopyIn) for s in found)
    assert program(source).limit is None


def test_a_value_from_before_a_lower_bound_keeps_its_lane() -> None:
    source = kernel(
        "before",
        XY,
        "if (i < n) { var v: f32 = (x[i] * 2.0:f32)\n"
        "if (i >= 2:i32) { v = (v + x[(i - 2:i32)]) }\n y[i] = v }",
    )
    clips = [s for s in all_of(program(source).body) if isinstance(s, Clip) and s.skip is not None]
    assert not clips


def test_integer_division_stays_on_the_scalar_unit() -> None:
    source = kernel(
        "divide",
        "n: i32, x: ptr<global const, i32>, y: ptr<global, i32>",
        "if (i < n) { y[i] = ((x[i] / 7:i32) + 1:i32) }",
    )
    maps = [s.op for s in all_of(program(source).body) if isinstance(s, Map)]
    assert MapOp.DIV not in maps
    assert MapOp.ADD in maps


def test_a_loop_whose_bound_changes_is_not_a_shrinking_run() -> None:
    source = (
        f'kernel moving "moving" ({XY}) mangled "" qualified "" bounds 0 {{\n'
        "  var m: i32 = n\n"
        "  for { init { var i: i32 = cast<i32>(((blockIdx.x * blockDim.x) + threadIdx.x)) }\n"
        "  while (i < m)\n"
        "  step { i = cast<i32>((cast<u32>(i) + (gridDim.x * blockDim.x))) }\n"
        "  body { m = (m + 1:i32)\n y[i] = x[i] } }\n}\n"
    )
    assert not any(isinstance(s, TileFor) for s in all_of(program(source).body))


def test_a_counter_that_may_shrink_is_not_a_shrinking_run() -> None:
    source = (
        f'kernel back "back" (d: i32, {XY}) mangled "" qualified "" bounds 0 {{\n'
        "  for { init { var i: i32 = cast<i32>(((blockIdx.x * blockDim.x) + threadIdx.x)) }\n"
        "  while (i < n)\n"
        "  step { i = (i + d) }\n"
        "  body { y[i] = x[i] } }\n}\n"
    )
    assert not any(isinstance(s, CopyOut) for s in all_of(program(source).body))


def test_atomics_keep_one_core() -> None:
    made = program(SOURCES["count"])
    assert made.single_core
    assert "<<<1, " in text_of(lifted(SOURCES["count"])).launcher


def test_a_launch_that_is_too_wide_stops() -> None:
    assert "abort();" in text_of(lifted(SOURCES["saxpy"])).launcher


def test_double_runs_on_the_scalar_unit_or_is_refused() -> None:
    source = kernel(
        "wide",
        "n: i32, x: ptr<global const, f64>, y: ptr<global, f64>",
        "if (i < n) { y[i] = (x[i] + y[i]) }",
    )
    soft = lifted(source)
    assert soft.rung is Rung.SCALAR
    assert "CM4006" in [d.code.id for d in soft.diagnostics]
    made = lifted(source, DoublePolicy.REFUSE)
    assert made.rung is Rung.REFUSED
    assert [d.code.id for d in made.diagnostics] == ["CM4001"]


GOLDEN = ("saxpy", "from_three", "choose", "grid_stride", "own_sum", "uneven_loop")


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_text(name: str, snapshot: object) -> None:
    made = lifted(SOURCES[name])
    assert made.tile is not None
    text = text_of(made)
    shown = f"{print_tile_kernel(made.tile)}\n{text.definition}\n{text.launcher}\n"
    assert shown == snapshot


def many_inputs(count: int) -> str:
    names = [f"x{k}" for k in range(count)]
    params = "n: i32, " + ", ".join(f"{p}: ptr<global const, f32>" for p in names)
    total = "x0[i]"
    for p in names[1:]:
        total = f"({total} + {p}[i])"
    return kernel(
        f"many{count}", f"{params}, y: ptr<global, f32>", f"if (i < n) {{ y[i] = {total} }}"
    )


def test_queues_have_no_more_buffers_than_the_chip_has_events() -> None:
    assert "_queue, 2, longest" in text_of(lifted(many_inputs(4))).definition
    five = text_of(lifted(many_inputs(5))).definition
    assert five.count("AscendC::TPosition::VECIN, 1>") == 5
    assert "x0_tile_queue, 1, longest" in five
    assert lifted(many_inputs(9)).rung is Rung.SCALAR


def test_a_null_pointer_that_is_followed_has_a_type() -> None:
    source = (
        f'kernel maybe "maybe" ({XY}) mangled "" qualified "" bounds 0 {{\n'
        "  var i: i32 = cast<i32>(((blockIdx.x * blockDim.x) + threadIdx.x))\n"
        "  if (i < n) { if (x[i] < 0.0:f32) { y[i] = null<ptr<global const, f32>>[i] } }\n}\n"
    )
    text = text_of(lifted(source)).definition
    assert "((__gm__ const float*)nullptr)[" in text
