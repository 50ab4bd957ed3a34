"""910B kernels give the numbers of the CUDA kernel, at every tail around a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from harness import Built, build
from kernels import SOURCES

Array = npt.NDArray[np.generic]
SIZES = (0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 12289)
BLOCK = 64


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(SOURCES, tmp_path_factory.mktemp("simd"))


def floats(n: int, seed: int, kind: type = np.float32) -> Array:
    return np.random.default_rng(seed).random(n).astype(kind)


def ints(n: int, seed: int, low: int, high: int, kind: type = np.int32) -> Array:
    return np.random.default_rng(seed).integers(low, high, n).astype(kind)


def f32_pair(n: int) -> tuple[Array, Array]:
    return floats(2 * n + 8, 1), floats(n + 8, 2)


def i32_pair(n: int) -> tuple[Array, Array]:
    top = 1 << 31
    return ints(n + 8, 3, -top, top), ints(n + 8, 4, -top, top)


def f(value: float) -> np.float32:
    return np.float32(value)


def saxpy(x: Array, y: Array, n: int) -> None:
    y[:n] = f(2.5) * x[:n] + y[:n]


def shifted(x: Array, y: Array, n: int) -> None:
    y[: max(n - 1, 0)] = x[1:n] - x[: max(n - 1, 0)]


def from_three(x: Array, y: Array, n: int) -> None:
    y[3:n] = x[: max(n - 3, 0)] * x[3:n]


def stride_two(x: Array, y: Array, n: int) -> None:
    y[:n] = x[: 2 * n : 2] + f(1)


def reversed_(x: Array, y: Array, n: int) -> None:
    y[:n] = x[:n][::-1] / f(3)


def choose(x: Array, y: Array, n: int) -> None:
    y[:n] = np.where(x[:n] < f(0.5), f(0) - x[:n], x[:n] * f(4))


def branches(x: Array, y: Array, n: int) -> None:
    v = x[:n]
    y[:n] = np.where(v < f(0.25), v * f(8), np.where(v > f(0.75), v - f(1), f(0)))


def some_store(x: Array, y: Array, n: int) -> None:
    y[:n] = np.where(y[:n] < x[:n], x[:n], y[:n])


def others_store(x: Array, y: Array, n: int) -> None:
    y[:n] = np.where(x[:n] > f(0.5), x[:n], y[:n])


def twice(x: Array, y: Array, n: int) -> None:
    y[:n] = (x[:n] + f(1)) * (x[:n] + f(1))
    x[:n] = y[:n]


def own_sum(x: Array, y: Array, n: int) -> None:
    for k in range(4):
        y[:n] = y[:n] + np.roll(x[:n], -k)


def uneven_loop(x: Array, y: Array, n: int) -> None:
    acc = np.ones(n, np.float32)
    for k in range(4):
        acc = np.where(k < np.arange(n) % 5, acc * x[:n], acc)
    y[:n] = acc


def even_loop(x: Array, y: Array, n: int) -> None:
    acc = np.zeros(n, np.float32)
    for k in range(3):
        acc = acc + x[:n] * f(k)
    y[:n] = acc


def grid_stride(x: Array, y: Array, n: int) -> None:
    y[:n] = x[:n] + f(0.5)


def per_block(x: Array, y: Array, n: int) -> None:
    y[:n] = x[:n] * f(7)


def guarded_division(x: Array, y: Array, n: int) -> None:
    safe = np.where(x[:n] == 0, 1, x[:n])
    quotient = np.trunc(1000 / safe.astype(np.float64)).astype(np.int32)
    y[:n] = np.where(x[:n] != 0, quotient, y[:n])


def wrap(x: Array, y: Array, n: int) -> None:
    with np.errstate(over="ignore"):
        y[:n] = x[:n] * np.int32(1103515245) + np.int32(12345) - (x[:n] << np.int32(3))


def less(x: Array, y: Array, n: int) -> None:
    y[:n] = np.where(x[:n] < y[:n], x[:n], y[:n] >> 1)


def unsigned_less(x: Array, y: Array, n: int) -> None:
    y[:n] = np.where(x[:n] < y[:n], x[:n] ^ y[:n], y[:n] >> np.uint32(3))


def bytes_(x: Array, y: Array, n: int) -> None:
    y[:n] = (x[:n].astype(np.int32) * 3).astype(np.int8)


def halves(x: Array, y: Array, n: int) -> None:
    y[:n] = x[:n] * x[:n] + y[:n]


def rounded(v: Array) -> Array:
    """f32 rounded to bfloat16, kept as its 16 bits."""
    bits = v.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) >> np.uint64(16)).astype(
        np.uint16
    )


def wide(v: Array) -> Array:
    return (v.astype(np.uint32) << np.uint32(16)).view(np.float32)


def bfloats(x: Array, y: Array, n: int) -> None:
    square = rounded(wide(x[:n]) * wide(x[:n]))
    y[:n] = rounded(wide(square) + wide(y[:n]))


def widths(x: Array, y: Array, n: int) -> None:
    y[:n] = x[:n].astype(np.float32) * f(0.125) + np.arange(n).astype(np.float32)


def long_ints(x: Array, y: Array, n: int) -> None:
    with np.errstate(over="ignore"):
        y[:n] = x[:n] * (x[:n] - np.arange(n))


def count(x: Array, y: Array, n: int) -> None:
    y[:8] += np.bincount(x[:n] & 7, minlength=8).astype(np.int32)


def guarded_row(x: Array, y: Array, n: int) -> None:
    # no element of x is above 2, so the else branch runs for every thread, beyond n too
    y[: _threads(n)] = y[: _threads(n)] * f(2)


def own_param(x: Array, y: Array, n: int) -> None:
    last = n - 1
    m = last
    while m > 2000:
        m //= 2
    y[: max(last, 0)] = x[: max(last, 0)] + f(m)


def and_then(x: Array, y: Array, n: int) -> None:
    y[:n] = np.where(x[:n] > f(0.5), y[:n] + f(1), y[:n])


def mask_by_lane(x: Array, y: Array, n: int) -> None:
    y[:n] = np.where(x[:n] < f(0.5), x[:n], y[:n][::-1])[::-1]


def _threads(n: int) -> int:
    return (n + BLOCK - 1) // BLOCK * BLOCK


def wide_pair(n: int) -> tuple[Array, Array]:
    return floats(_threads(n) + 8, 23), floats(_threads(n) + 8, 24)


def small_pair(n: int) -> tuple[Array, Array]:
    return ints(n + 8, 5, -3, 4), ints(n + 8, 6, -9, 9)


def u32_pair(n: int) -> tuple[Array, Array]:
    return ints(n + 8, 7, 0, 1 << 32, np.uint32), ints(n + 8, 8, 0, 1 << 32, np.uint32)


def i8_pair(n: int) -> tuple[Array, Array]:
    return ints(n + 8, 9, -128, 128, np.int8), ints(n + 8, 10, -128, 128, np.int8)


def f16_pair(n: int) -> tuple[Array, Array]:
    return floats(n + 8, 11, np.float16), floats(n + 8, 12, np.float16)


def bf16_pair(n: int) -> tuple[Array, Array]:
    return rounded(floats(n + 8, 13)), rounded(floats(n + 8, 14))


def mixed_pair(n: int) -> tuple[Array, Array]:
    return ints(n + 8, 15, 0, 256, np.uint8), floats(n + 8, 16)


def i64_pair(n: int) -> tuple[Array, Array]:
    top = 1 << 62
    return ints(n + 8, 17, -top, top, np.int64), ints(n + 8, 18, -top, top, np.int64)


Pair = Callable[[int], tuple[Array, Array]]
Reference = Callable[[Array, Array, int], None]
CASES: dict[str, tuple[Pair, Reference]] = {
    "saxpy": (f32_pair, saxpy),
    "shifted": (f32_pair, shifted),
    "from_three": (f32_pair, from_three),
    "stride_two": (f32_pair, stride_two),
    "reversed": (f32_pair, reversed_),
    "choose": (f32_pair, choose),
    "branches": (f32_pair, branches),
    "some_store": (f32_pair, some_store),
    "others_store": (f32_pair, others_store),
    "twice": (f32_pair, twice),
    "own_sum": (f32_pair, own_sum),
    "uneven_loop": (f32_pair, uneven_loop),
    "even_loop": (f32_pair, even_loop),
    "grid_stride": (f32_pair, grid_stride),
    "per_block": (f32_pair, per_block),
    "guarded_division": (small_pair, guarded_division),
    "wrap": (i32_pair, wrap),
    "less": (i32_pair, less),
    "unsigned_less": (u32_pair, unsigned_less),
    "bytes": (i8_pair, bytes_),
    "halves": (f16_pair, halves),
    "bfloats": (bf16_pair, bfloats),
    "widths": (mixed_pair, widths),
    "long_ints": (i64_pair, long_ints),
    "count": (i32_pair, count),
    "guarded_row": (wide_pair, guarded_row),
    "own_param": (f32_pair, own_param),
    "and_then": (f32_pair, and_then),
    "mask_by_lane": (f32_pair, mask_by_lane),
}


def grid_for(name: str, n: int) -> tuple[int, int]:
    if name in ("grid_stride", "per_block"):
        return (5, 1)  # fewer threads than elements
    return ((n + BLOCK - 1) // BLOCK, 1)


def test_every_kernel_has_numbers() -> None:
    assert set(CASES) == set(SOURCES)


@pytest.mark.parametrize("name", sorted(CASES))
def test_numbers_are_bit_equal(built: Built, name: str) -> None:
    pair, reference = CASES[name]
    for n in SIZES:
        x, y = pair(n)
        want_x, want_y = x.copy(), y.copy()
        reference(want_x, want_y, n)
        grid = grid_for(name, n)
        if 0 in grid:
            continue  # the launch function returns before an empty grid
        got_x, got_y = built.run(name, n, x, y, grid, (BLOCK, 1))
        np.testing.assert_array_equal(got_y.view(np.uint8), want_y.view(np.uint8), f"n={n}")
        np.testing.assert_array_equal(got_x.view(np.uint8), want_x.view(np.uint8), f"n={n}")


def test_a_long_run_crosses_the_length_of_a_tile(built: Built, tmp_path: Path) -> None:
    n = 48 * 6656 + 6657
    x, y = floats(n + 8, 20), floats(n + 8, 21)
    want = y.copy()
    saxpy(x, want, n)
    _, got = built.run("saxpy", n, x, y, ((n + BLOCK - 1) // BLOCK, 1), (BLOCK, 1))
    np.testing.assert_array_equal(got, want)
