"""Kernels in IR text for the 910B tests, each with the numbers that it must give."""

from __future__ import annotations

HEAD = 'mangled "" qualified "" bounds 0'
LANE = "cast<i32>(((blockIdx.x * blockDim.x) + threadIdx.x))"


def kernel(name: str, params: str, body: str) -> str:
    """One kernel whose lane is called ``i``."""
    return f'kernel {name} "{name}" ({params}) {HEAD} {{\n  var i: i32 = {LANE}\n{body}\n}}\n'


XY = "n: i32, x: ptr<global const, f32>, y: ptr<global, f32>"
INTS = "n: i32, x: ptr<global const, i32>, y: ptr<global, i32>"

SOURCES = {
    "saxpy": kernel("saxpy", XY, "if (i < n) { y[i] = ((2.5:f32 * x[i]) + y[i]) }"),
    "shifted": kernel("shifted", XY, "if ((i + 1:i32) < n) { y[i] = (x[(i + 1:i32)] - x[i]) }"),
    "from_three": kernel(
        "from_three", XY, "if ((i >= 3:i32) && (i < n)) { y[i] = (x[(i - 3:i32)] * x[i]) }"
    ),
    "stride_two": kernel("stride_two", XY, "if (i < n) { y[i] = (x[(i * 2:i32)] + 1.0:f32) }"),
    "reversed": kernel("reversed", XY, "if (i < n) { y[i] = (x[((n - 1:i32) - i)] / 3.0:f32) }"),
    "choose": kernel(
        "choose",
        XY,
        "if (i < n) { y[i] = ((x[i] < 0.5:f32) ? (0.0:f32 - x[i]) : (x[i] * 4.0:f32)) }",
    ),
    "branches": kernel(
        "branches",
        XY,
        """if (i < n) {
    var v: f32 = x[i]
    var r: f32 = 0.0:f32
    if (v < 0.25:f32) { r = (v * 8.0:f32) } else { if (v > 0.75:f32) { r = (v - 1.0:f32) } }
    y[i] = r
  }""",
    ),
    "some_store": kernel("some_store", XY, "if (i < n) { if (y[i] < x[i]) { y[i] = x[i] } }"),
    "others_store": kernel(
        "others_store", XY, "if (i < n) { if (x[i] > 0.5:f32) { y[i] = x[i] } }"
    ),
    "twice": kernel(
        "twice",
        "n: i32, x: ptr<global, f32>, y: ptr<global, f32>",
        "if (i < n) { y[i] = (x[i] + 1.0:f32)\n y[i] = (y[i] * y[i])\n x[i] = y[i] }",
    ),
    "own_sum": kernel(
        "own_sum",
        XY,
        """if (i < n) {
    for {
      init { var k: i32 = 0:i32 }
      while (k < 4:i32)
      step { k = (k + 1:i32) }
      body { y[i] = (y[i] + x[((i + k) % n)]) }
    }
  }""",
    ),
    "uneven_loop": kernel(
        "uneven_loop",
        XY,
        """if (i < n) {
    var acc: f32 = 1.0:f32
    for {
      init { var k: i32 = 0:i32 }
      while (k < (i % 5:i32))
      step { k = (k + 1:i32) }
      body { acc = (acc * x[i]) }
    }
    y[i] = acc
  }""",
    ),
    "even_loop": kernel(
        "even_loop",
        XY,
        """if (i < n) {
    var acc: f32 = 0.0:f32
    for {
      init { var k: i32 = 0:i32 }
      while (k < 3:i32)
      step { k = (k + 1:i32) }
      body { acc = (acc + (x[i] * cast<f32>(k))) }
    }
    y[i] = acc
  }""",
    ),
    "grid_stride": (
        f'kernel grid_stride "grid_stride" ({XY}) {HEAD} {{\n'
        f"  for {{ init {{ var i: i32 = {LANE} }}\n"
        "  while (i < n)\n"
        "  step { i = cast<i32>((cast<u32>(i) + (gridDim.x * blockDim.x))) }\n"
        "  body { y[i] = (x[i] + 0.5:f32) } }\n}\n"
    ),
    "per_block": (
        f'kernel per_block "per_block" ({XY}) {HEAD} {{\n'
        "  for { init { var i: i32 = cast<i32>(threadIdx.x) }\n"
        "  while (i < n)\n"
        "  step { i = cast<i32>((cast<u32>(i) + blockDim.x)) }\n"
        "  body { if (blockIdx.x == 0:u32) { y[i] = (x[i] * 7.0:f32) } } }\n}\n"
    ),
    "guarded_division": kernel(
        "guarded_division",
        INTS,
        "if (i < n) { if (x[i] != 0:i32) { y[i] = (1000:i32 / x[i]) } }",
    ),
    "wrap": kernel(
        "wrap",
        INTS,
        "if (i < n) { y[i] = (((x[i] * 1103515245:i32) + 12345:i32) - (x[i] << 3:i32)) }",
    ),
    "less": kernel("less", INTS, "if (i < n) { y[i] = ((x[i] < y[i]) ? x[i] : (y[i] >> 1:i32)) }"),
    "unsigned_less": kernel(
        "unsigned_less",
        "n: i32, x: ptr<global const, u32>, y: ptr<global, u32>",
        "if (i < n) { y[i] = ((x[i] < y[i]) ? (x[i] ^ y[i]) : (y[i] >> 3:i32)) }",
    ),
    "bytes": kernel(
        "bytes",
        "n: i32, x: ptr<global const, i8>, y: ptr<global, i8>",
        "if (i < n) { y[i] = cast<i8>((cast<i32>(x[i]) * 3:i32)) }",
    ),
    "halves": kernel(
        "halves",
        "n: i32, x: ptr<global const, f16>, y: ptr<global, f16>",
        "if (i < n) { y[i] = ((x[i] * x[i]) + y[i]) }",
    ),
    "bfloats": kernel(
        "bfloats",
        "n: i32, x: ptr<global const, bf16>, y: ptr<global, bf16>",
        "if (i < n) { y[i] = ((x[i] * x[i]) + y[i]) }",
    ),
    "widths": kernel(
        "widths",
        "n: i32, x: ptr<global const, u8>, y: ptr<global, f32>",
        "if (i < n) { y[i] = ((cast<f32>(x[i]) * 0.125:f32) + cast<f32>(i)) }",
    ),
    "long_ints": kernel(
        "long_ints",
        "n: i32, x: ptr<global const, i64>, y: ptr<global, i64>",
        "if (i < n) { y[i] = (x[i] * (x[i] - cast<i64>(i))) }",
    ),
    "count": kernel(
        "count",
        "n: i32, x: ptr<global const, i32>, y: ptr<global, i32>",
        "if (i < n) { atomic _ = add device y[(x[i] & 7:i32)](1:i32) }",
    ),
}
"""IR text by kernel name; each has the parameters ``n, x, y``."""
SOURCES["guarded_row"] = kernel(
    "guarded_row",
    XY,
    "if ((cast<i32>(blockIdx.y) < 1:i32) && ((i < n) && ((x[i] > 0.25:f32) && "
    "(x[cast<i32>(blockIdx.y)] > 2.0:f32)))) { y[i] = x[i] } else { y[i] = (y[i] * 2.0:f32) }",
)
SOURCES["own_param"] = kernel(
    "own_param",
    XY,
    "n = (n - 1:i32)\nif (i < n) { for { init { } while (n > 2000:i32) step { } "
    "body { n = (n / 2:i32) } }\n y[i] = (x[i] + cast<f32>(n)) }",
)
SOURCES["and_then"] = kernel(
    "and_then", XY, "if ((i < n) && (x[i] > 0.5:f32)) { y[i] = (y[i] + 1.0:f32) }"
)
SOURCES["mask_by_lane"] = kernel(
    "mask_by_lane",
    XY,
    "if (i < n) { var up: bool = (x[i] < 0.5:f32)\n"
    "if (up && (x[(n - 1:i32)] >= 0.0:f32)) { y[(n - (i + 1:i32))] = x[i] } }",
)
