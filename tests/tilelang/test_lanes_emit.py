"""The text of lane programs as TileLang kernels; nothing is compiled."""

from __future__ import annotations

import ast

import pytest
from programs import Case, convert

PARAMS = "n: i32, x: ptr<global, f32>"
T = "var t: i32 = cast<i32>(threadIdx.x)\n"


def text_of(body: str) -> str:
    """The kernel factory and the wrapper of a kernel ``k``."""
    made = convert(Case("k", PARAMS, body, {}))
    (kernel,) = made.kernels
    ast.parse(made.files[0].content.decode())
    return kernel.text


def test_dynamic_shared_memory_is_an_argument_of_the_launch() -> None:
    text = text_of(
        f"{T}shared var s: array<f32, 0> s.[t] = x[t]\nbarrier block\nx[t] = s.[(n - t)]"
    )
    assert 's = T.alloc_shared((shared_bytes // 4,), "float32", scope="shared")' in text
    assert "    shared: int," in text
    assert "launch.block[0], launch.lanes, shared)" in text
    assert text.count("for lane in T.Parallel(threads):") == 2
    assert text.count("T.sync_threads()") == 1


def test_what_other_lanes_read_is_shared_and_what_a_lane_keeps_is_a_fragment() -> None:
    text = text_of(
        f"""{T}var v: f32 = x[t]
        var kept: f32 = (v + 1.0:f32)
        collective o: f32 = shfl_down(4294967295:u32, v, 1:u32, 32:i32)
        x[t] = (o + kept)"""
    )
    assert 'v = T.alloc_shared((threads,), "float32", scope="shared")' in text
    assert 'kept = T.alloc_fragment((threads,), "float32")' in text


def test_arrays_of_a_lane_are_shared() -> None:
    """A fragment is indexed alike by all statements of a loop; an array of a lane is not."""
    text = text_of(
        f"""{T}var a: array<f32, 3>
        a.[0:i32] = x[t]
        a.[1:i32] = x[(t + 1:i32)]
        barrier block
        x[t] = (a.[0:i32] + a.[1:i32])"""
    )
    assert 'a = T.alloc_shared((threads, 3), "float32", scope="shared")' in text
    assert "a[lane, " in text


def test_a_launch_of_broken_warps_is_refused_where_warps_matter() -> None:
    text = text_of(
        f"""{T}var v: f32 = x[t]
        if ((t / 32:i32) == 0:i32) {{
          collective o: f32 = shfl_down(4294967295:u32, v, 1:u32, 32:i32)
          v = (v + o)
        }}
        x[t] = v"""
    )
    assert "launch.block[0] % 32) == 0" in text
    assert "raise ValueError" in text


def test_a_counter_that_nothing_else_uses_is_a_range() -> None:
    text = text_of(
        f"""{T}shared var s: array<f32, 64>
        for {{
          init {{ var i: i32 = 0:i32 }} while (i < n) step {{ i = (i + 1:i32) }}
          body {{
            s.[t] = x[(t + i)]
            barrier block
            x[t] = s.[0:i32]
            barrier block
          }}
        }}"""
    )
    assert "for i in T.serial(n):" in text
    assert "T.alloc_var" not in text


def test_a_range_is_not_made_of_floats() -> None:
    """TileLang 0.1.15 finds such a bound different from itself."""
    text = text_of(
        f"""{T}for {{
          init {{ var i: i32 = 0:i32 }} while (i < cast<i32>((x[0:i32] * 2.0:f32)))
          step {{ i = (i + 1:i32) }}
          body {{ var y: f32 = x[i] }}
        }}"""
    )
    assert "T.serial" not in text


@pytest.mark.parametrize(
    ("first", "stop", "ranged"),
    [("t", "n", False), ("0:i32", "(t + 1:i32)", False), ("0:i32", "n", True)],
)
def test_a_range_over_bounds_of_the_lane_holds_no_other_loop(
    first: str, stop: str, ranged: bool
) -> None:
    """TileLang 0.1.15 meets such bounds by two names of the lane, and refuses the kernel."""
    loop = f"""for {{
      init {{ var i: i32 = {first} }} while (i < {stop}) step {{ i = (i + 1:i32) }} body {{ INNER }}
    }}"""
    inner = """for { init { var k: i32 = 0:i32 } while (k < n) step { k = (k + 1:i32) }
      body { x[i] = (x[i] + x[k]) } }"""
    flat = text_of(T + loop.replace("INNER", "x[i] = 2.0:f32") + "\nbarrier block\nx[t] = 1.0:f32")
    assert "while" not in flat
    nested = text_of(T + loop.replace("INNER", inner) + "\nbarrier block\nx[t] = 1.0:f32")
    assert ("while" not in nested) is ranged


def test_a_strided_range_from_a_lane_on_holds_no_other_loop() -> None:
    """TileLang 0.1.15 finds its length different from itself then."""
    strided = """{T}for {{
      init {{ var i: i32 = t }} while (i < n) step {{ i = (i + 64:i32) }}
      body {{ {inner} }}
    }}
    barrier block
    x[t] = 1.0:f32"""
    inner = """for { init { var k: i32 = 0:i32 } while (k < i) step { k = (k + 1:i32) }
      body { x[i] = (x[i] + x[k]) } }"""
    assert "in T.serial(t, n, 64):" in text_of(strided.format(T=T, inner="x[i] = 2.0:f32"))
    nested = text_of(strided.format(T=T, inner=inner))
    assert "while i < n:" in nested
