"""Numbers of the SIMD instructions against numpy, which computes them independently."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pytest

from tests.emulation.ascendc_builds import program, run

N = 256
F = npt.NDArray[np.float32]
Array = npt.NDArray[np.generic]

INDEX = np.arange(N, dtype=np.int64)
A = (((INDEX * 7919) % 2003 - 1001) * 0.0078125).astype(np.float32)
A[7:12] = [0.5, -0.5, 1.5, 2.5, -2.5]
B = (((INDEX * 104729) % 1999 + 1) * 0.001953125).astype(np.float32)
K = (INDEX * 2654435761 % 2**32).astype(np.uint32).view(np.int32)
H = (A * np.float32(0.31)).astype(np.float16)
G = B.astype(np.float16)
A16 = A.view(np.int16)
K16 = K.view(np.int16)


@lru_cache(maxsize=1)
def results() -> dict[str, bytes]:
    """Raw bytes of every probe."""
    done = run(program("values_910b", 2201))
    assert (done.returncode, done.stderr) == (0, "")
    pairs = (line.split() for line in done.stdout.splitlines())
    return {name: bytes.fromhex(text) for name, text in pairs}


def got(name: str, kind: type[np.generic], count: int = N) -> Array:
    """The first elements of a result as numbers of a type."""
    return np.frombuffer(results()[name], dtype=kind)[:count]


def masked(lanes: Callable[[int], bool], value: F) -> F:
    """Where a lane is active the value, elsewhere the 9 that was there before."""
    on = np.array([lanes(k) for k in range(N)])
    return np.where(on, value, np.float32(9))


def half(value: F) -> Array:
    """Rounded once to float16."""
    return value.astype(np.float16)


def strides() -> F:
    """32 lanes, 2 repeats: dst blocks 2 apart, second source blocks 4 apart."""
    out = np.full(N, 9, dtype=np.float32)
    for rep in range(2):
        for lane in range(32):
            block, at = divmod(lane, 8)
            d = (rep * 16 + block * 2) * 8 + at
            x = (rep * 4 + block) * 8 + at
            y = (rep * 1 + block * 4) * 8 + at
            out[d] = A[x] + B[y]
    return out


EXACT: dict[str, tuple[type[np.generic], Array]] = {
    "add": (np.float32, A + B),
    "sub": (np.float32, A - B),
    "mul": (np.float32, A * B),
    "div": (np.float32, A / B),
    "max": (np.float32, np.maximum(A, B)),
    "min": (np.float32, np.minimum(A, B)),
    "adds": (np.float32, A + np.float32(2.5)),
    "muls": (np.float32, A * np.float32(2.5)),
    "maxs": (np.float32, np.maximum(A, np.float32(2.5))),
    "mins": (np.float32, np.minimum(A, np.float32(2.5))),
    "leaky": (np.float32, np.where(A >= 0, A, A * np.float32(0.25))),
    "relu": (np.float32, np.maximum(A, np.float32(0))),
    "abs": (np.float32, np.abs(A)),
    "sqrt": (np.float32, np.sqrt(np.abs(A))),
    "reciprocal": (np.float32, np.float32(1) / B),
    "iadd": (np.int32, K + K),
    "imul": (np.int32, K * K),
    "ishl": (np.int32, K << 3),
    "ishr": (np.int32, K >> 5),
    "ushr": (np.uint32, K.view(np.uint32) >> np.uint32(5)),
    "and": (np.int16, K16 & A16),
    "or": (np.int16, K16 | A16),
    "xor": (np.int16, K16 ^ A16),
    "not": (np.int16, ~K16),
    "hadd": (np.float16, H + G),
    "hmul": (np.float16, H * G),
    "hdiv": (np.float16, H / G),
    "mask_count": (np.float32, masked(lambda k: k % 64 < 40, A + B)),
    "mask_bits": (np.float32, masked(lambda k: k % 2 == 1, A + np.float32(1))),
    "register_mask": (np.float32, masked(lambda k: k < 100, A + np.float32(1))),
    "strides": (np.float32, strides()),
    "hmask": (np.float16, np.where(INDEX % 128 < 100, H + G, np.float16(0))),
    "zero_count": (np.float32, np.full(N, 9, dtype=np.float32)),
    "compare": (np.uint8, np.packbits(A <= B, bitorder="little")),
    "compare_scalar": (np.uint8, np.packbits(A > 1, bitorder="little")),
    "select_tensor": (np.float32, np.where(A < B, A, B)),
    "select_scalar": (np.float32, np.where(A < B, A, np.float32(-7))),
    "select_register": (np.float32, np.where(np.tile((A < B)[:64], 4), A, B)),
    "f32_i32_rint": (np.int32, np.rint(A).astype(np.int32)),
    "f32_i32_floor": (np.int32, np.floor(A).astype(np.int32)),
    "f32_i32_ceil": (np.int32, np.ceil(A).astype(np.int32)),
    "f32_i32_round": (np.int32, (np.sign(A) * np.floor(np.abs(A) + 0.5)).astype(np.int32)),
    "f32_i32_trunc": (np.int32, np.trunc(A).astype(np.int32)),
    "f32_f32_rint": (np.float32, np.rint(A)),
    "f32_f32_floor": (np.float32, np.floor(A)),
    "f32_f32_round": (np.float32, (np.sign(A) * np.floor(np.abs(A) + 0.5)).astype(np.float32)),
    "f32_f16_rint": (np.float16, half(A * np.float32(0.01237))),
    "f16_f32": (np.float32, H.astype(np.float32)),
    "f16_u8": (np.uint8, np.clip(np.trunc(H * np.float16(300)), 0, 255).astype(np.uint8)),
    "cast_repeat": (np.float16, half(A)),
    "saturate": (
        np.int32,
        np.clip((A * np.float32(1e9)).astype(np.float64), -(2**31), 2**31 - 1).astype(np.int32),
    ),
    "index": (np.int32, (INDEX + 5).astype(np.int32)),
    "progression": (np.float32, (0.5 + 0.25 * INDEX).astype(np.float32)),
    "gather": (np.float32, A[::-1]),
    "gather_mask": (np.float32, np.concatenate([A[1::2], np.zeros(128, np.float32)])),
    "brcb": (np.float32, np.repeat(A[:32], 8)),
    "floor": (np.float32, np.floor(A)),
    "ceil": (np.float32, np.ceil(A)),
    "trunc": (np.float32, np.trunc(A)),
    "round": (np.float32, np.rint(A * np.float32(0.5))),
    "sign": (np.float32, np.sign(A)),
    "fmod": (np.float32, np.fmod(A, B)),
}

A64 = A.astype(np.float64)
B64 = B.astype(np.float64)
with np.errstate(divide="ignore"):
    LN = np.log(np.abs(A64))  # minus infinity at 0
ERF = np.array([math.erf(v) for v in A64])
CUBIC = 1.59576912 * (A64 + 0.044715 * A64**3)
CLOSE: dict[str, Array] = {
    "exp": np.exp(A64),
    "ln": LN,
    "rsqrt": 1 / np.sqrt(B64),
    "axpy": A64 * 3 + 1,
    "muladd": A64 * B64 + 1,
    "tanh": np.tanh(A64),
    "sin": np.sin(A64),
    "cos": np.cos(A64),
    "erf": ERF,
    "sigmoid": 1 / (1 + np.exp(-A64)),
    "power": np.abs(A64) ** B64,
    "power_scalar": A64**3,
    "gelu": A64 / (1 + np.exp(-CUBIC)),
    "silu": A64 / (1 + np.exp(-A64)),
}


@pytest.mark.parametrize("name", sorted(EXACT))
def test_result_is_exact(name: str) -> None:
    """Integer and correctly rounded operations give the very bits."""
    kind, expected = EXACT[name]
    np.testing.assert_array_equal(got(name, kind, expected.size), expected)


@pytest.mark.parametrize("name", sorted(CLOSE))
def test_result_is_close(name: str) -> None:
    """Transcendental functions are within a few units in the last place of the true value."""
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(got(name, np.float32), CLOSE[name], rtol=2e-6, atol=1e-7)


def test_half_exponential_is_rounded_once() -> None:
    """The half result is the float result rounded to half."""
    np.testing.assert_array_equal(got("hexp", np.float16), half(np.exp(G.astype(np.float32))))


def test_directed_rounding_to_half() -> None:
    """Floor and ceil enclose the value, truncation goes to zero, odd has its last bit set."""
    value = A * np.float32(0.01237)
    low, high = got("f32_f16_floor", np.float16), got("f32_f16_ceil", np.float16)
    assert np.all(low.astype(np.float32) <= value)
    assert np.all(high.astype(np.float32) >= value)
    inexact = half(value).astype(np.float32) != value
    steps = np.nextafter(low.astype(np.float16), np.float16(np.inf))
    np.testing.assert_array_equal(high[inexact], steps[inexact])
    np.testing.assert_array_equal(got("f32_f16_trunc", np.float16), np.where(value < 0, high, low))
    odd = np.frombuffer(results()["f32_f16_odd"], np.uint16)[:N]
    assert np.all(odd[inexact] % 2 == 1)


def test_rounding_to_bfloat16() -> None:
    """Nearest even and truncation of the lower half of the bits."""
    bits = A.view(np.uint32).astype(np.uint64)
    nearest = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    np.testing.assert_array_equal(got("f32_bf16_rint", np.uint16), nearest)
    np.testing.assert_array_equal(got("f32_bf16_trunc", np.uint16), (bits >> 16).astype(np.uint16))


def test_large_integers_are_rounded_as_asked() -> None:
    """32-bit integers do not fit the 24 bits of a float."""
    exact = K.astype(np.float64)
    np.testing.assert_array_equal(got("i32_f32_rint", np.float32), K.astype(np.float32))
    low = got("i32_f32_floor", np.float32).astype(np.float64)
    assert np.all(low <= exact)
    assert np.all(np.nextafter(low.astype(np.float32), np.float32(np.inf)) > exact)
    cut = got("i32_f32_trunc", np.float32).astype(np.float64)
    assert np.all(np.abs(cut) <= np.abs(exact))


def test_reductions() -> None:
    """Sums within rounding, extremes with the first position of the value."""
    np.testing.assert_allclose(got("reduce_sum", np.float32, 1)[0], A64.sum(), rtol=1e-5)
    assert got("reduce_max", np.float32, 1)[0] == A.max()
    assert got("reduce_max", np.uint32, 2)[1] == int(np.argmax(A))
    assert got("reduce_min", np.float32, 1)[0] == A[:200].min()
    assert got("reduce_min", np.uint32, 2)[1] == int(np.argmin(A[:200]))
    rows = A.reshape(4, 64)
    np.testing.assert_allclose(got("whole_sum", np.float32, 4), rows.sum(1), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(got("whole_max", np.float32, 8)[::2], rows.max(1))
    np.testing.assert_array_equal(got("whole_max", np.uint32, 8)[1::2], rows.argmax(1))
    blocks = A.reshape(32, 8)
    np.testing.assert_allclose(got("block_sum", np.float32, 32), blocks.sum(1), atol=1e-4)
    np.testing.assert_array_equal(got("block_max", np.float32, 32), blocks.max(1))
    np.testing.assert_array_equal(got("pair_sum", np.float32, 128), A[::2] + A[1::2])


def test_atomics_of_all_cores_add_up() -> None:
    """48 cores add their number into the same elements."""
    np.testing.assert_array_equal(got("atomics", np.float32, 8), np.full(8, 48 * 49 / 2))


def test_every_probe_is_checked() -> None:
    """No printed result is left unread."""
    others = {
        "hexp", "f32_f16_floor", "f32_f16_ceil", "f32_f16_trunc", "f32_f16_odd", "f32_bf16_rint",
        "f32_bf16_trunc", "i32_f32_rint", "i32_f32_floor", "i32_f32_trunc", "reduce_sum",
        "reduce_max", "reduce_min", "whole_sum", "whole_max", "block_sum", "block_max", "pair_sum",
        "atomics",
    }  # fmt: skip
    assert set(results()) == set(EXACT) | set(CLOSE) | others
