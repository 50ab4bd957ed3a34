"""Intrinsics, directed rounding, half and bfloat16 against exact rational arithmetic and numpy."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.emulation.cuda_builds import CudaBuilds

_COUNT = 3000


@pytest.fixture(scope="module")
def operands() -> np.ndarray:
    """Triples of floats: random bit patterns of moderate size, ties and the edges of the formats."""
    rng = np.random.default_rng(7)
    wide = np.ldexp(rng.uniform(-2, 2, (_COUNT, 3)), rng.integers(-30, 16, (_COUNT, 3)))
    table = wide.astype(np.float32)
    ties = (rng.integers(2048, 4096, (500, 3)) + 0.5).astype(np.float32)
    table[:500] = ties * np.float32(2.0) ** rng.integers(-20, 4, (500, 1)).astype(np.float32)
    edges = [65504.0, 65519.0, 65520.0, 5.9604645e-08, 2.9802322e-08, 2.9802326e-08, 6.1e-05, -1e-9]
    for at, value in enumerate(edges):
        table[500 + at] = (value, edges[at - 1], -value)
    return table


@pytest.fixture(scope="module")
def produced(
    cuda: CudaBuilds, operands: np.ndarray, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("arithmetic")
    operands.tofile(folder / "operands")
    result = cuda.run("arithmetic", str(folder / "operands"), str(folder))
    assert result.ok, result.stderr
    assert result.stdout.strip() == "no error"
    return folder


def _round(value: Fraction, bits: int, smallest: int, largest: float, mode: str) -> float:
    """``value`` in a format of ``bits`` significant bits with subnormals of 2**smallest."""
    if value == 0:
        return 0.0
    exponent = max(math.floor(_log2(abs(value))) - bits + 1, smallest)
    unit = Fraction(2) ** exponent
    scaled = value / unit
    whole = {
        "nearest": round(scaled),  # Fraction rounds ties to even
        "zero": math.trunc(scaled),
        "up": math.ceil(scaled),
        "down": math.floor(scaled),
    }[mode]
    result = whole * unit
    if abs(result) > Fraction(largest):
        inward = mode == "zero" or ((mode == "up") == (value < 0) and mode != "nearest")
        return math.copysign(largest if inward else math.inf, value)
    return float(result)


def _log2(value: Fraction) -> int:
    """Floor of the base-2 logarithm, exactly."""
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1


_FLOAT32 = (24, -149, float(np.finfo(np.float32).max))
_HALF = (11, -24, 65504.0)
_BFLOAT = (8, -133, float(np.ldexp(255.0, 120)))

_Operation = Callable[[Fraction, Fraction, Fraction], Fraction]
_FLOAT_TABLE: tuple[tuple[int, str, _Operation], ...] = (
    (0, "zero", lambda a, b, c: a + b),
    (1, "up", lambda a, b, c: a + b),
    (2, "down", lambda a, b, c: a + b),
    (3, "zero", lambda a, b, c: a * b),
    (4, "up", lambda a, b, c: a * b),
    (5, "down", lambda a, b, c: a * b),
    (6, "zero", lambda a, b, c: a / b),
    (7, "up", lambda a, b, c: a / b),
    (8, "down", lambda a, b, c: a / b),
    (11, "nearest", lambda a, b, c: a * b + c),
    (12, "up", lambda a, b, c: a * b + c),
    (13, "zero", lambda a, b, c: a * b + c),
)


@pytest.mark.parametrize(("column", "mode", "operation"), _FLOAT_TABLE)
def test_directed_rounding_of_floats(
    produced: Path, operands: np.ndarray, column: int, mode: str, operation: _Operation
) -> None:
    got = np.fromfile(produced / "floats", np.float32).reshape(-1, 16)[:, column]
    for row, seen in zip(operands, got, strict=True):
        a, b, c = (Fraction(float(v)) for v in row)
        exact = operation(a, b, c)
        if abs(exact) < Fraction(2) ** -120:
            continue  # subnormal results: the error term itself can underflow
        assert float(seen) == _round(exact, *_FLOAT32, mode), (row, mode)


def test_directed_square_roots_enclose_the_root(produced: Path, operands: np.ndarray) -> None:
    table = np.fromfile(produced / "floats", np.float32).reshape(-1, 16)
    for row, up, down in zip(operands, table[:, 9], table[:, 10], strict=True):
        square = abs(Fraction(float(row[0])))
        assert Fraction(float(down)) ** 2 <= square <= Fraction(float(up)) ** 2
        assert up == down or up == np.nextafter(down, np.float32(np.inf))


def _low_columns(raw: np.ndarray, widen: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    return widen(raw).reshape(-1, 8)


def _half_values(raw: np.ndarray) -> np.ndarray:
    return raw.view(np.float16).astype(np.float64)


def _bfloat_values(raw: np.ndarray) -> np.ndarray:
    return (raw.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


@pytest.mark.parametrize(
    ("name", "layout", "widen"),
    [("halves", _HALF, _half_values), ("bfloats", _BFLOAT, _bfloat_values)],
)
def test_low_precision_arithmetic_is_correctly_rounded(
    produced: Path,
    operands: np.ndarray,
    name: str,
    layout: tuple[int, int, float],
    widen: Callable[[np.ndarray], np.ndarray],
) -> None:
    table = _low_columns(np.fromfile(produced / name, np.uint16), widen)
    checked = 0
    for row, seen in zip(operands, table, strict=True):
        rounded = [_round(Fraction(float(v)), *layout, "nearest") for v in row]
        assert list(seen[:3]) == rounded
        if not all(math.isfinite(v) for v in rounded):
            continue
        a, b, c = (Fraction(v) for v in rounded)
        assert seen[3] == _round(a + b, *layout, "nearest")
        assert seen[4] == _round(a * b, *layout, "nearest")
        assert seen[5] == _round(a * b + c, *layout, "nearest")
        if b:
            assert seen[6] == _round(a / b, *layout, "nearest")
        assert seen[7] == max(rounded[:2])
        checked += 1
    assert checked > _COUNT // 2


def test_directed_conversions_to_half(produced: Path, operands: np.ndarray) -> None:
    raw = np.fromfile(produced / "directed", np.uint16)
    table = _half_values(raw).reshape(-1, 4)
    for value, seen in zip(operands.reshape(-1), table, strict=True):
        exact = Fraction(float(value))
        for column, mode in enumerate(("zero", "up", "down")):
            assert seen[column] == _round(exact, *_HALF, mode), (value, mode)
        product = Fraction(float(value) * (1.0 + 1e-12))
        assert seen[3] == _round(product, *_HALF, "nearest")


def test_every_half_widens_to_the_float_that_numpy_gives(produced: Path) -> None:
    got = np.fromfile(produced / "wide", np.float32)
    expected = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float32)
    assert np.array_equal(got, expected, equal_nan=True)
    assert np.array_equal(np.signbit(got[0x8000:0x8001]), [True])


def test_integer_intrinsics(produced: Path) -> None:
    got = np.fromfile(produced / "integers", np.int64).tolist()
    expected = [
        (0xF0F0F001).bit_count(),
        64,
        31,
        32,
        23,
        0,
        9,
        51,
        1 << 31,
        (1 << 62) >> 1,
        0x77552200,
        0xFFFFFFFF,
        (-5 << 30) >> 32,
        0xFFFFFFFE,
        -1,
        2,
        (0x800001 - (1 << 24)) * 3,
        15,
        0x3,
        0x3,
        7,
        13,
        -2,
        -1,
        10 + 1 - 1 + 2 - 2,
        1,
        5,
        _saturated_bytes(0x7F01807F, 0x0101FF01),
        0x00010002,
        0xFF00FF00,
        -(1 << 31),
        0x3FF00000,
        2,
        -2,
        3,
        -3,
        (1 << 31) - 1,
        0,
        0,
        -4,
        10,
        -777,
    ]
    assert got == expected


def _saturated_bytes(a: int, b: int) -> int:
    out = 0
    for shift in (0, 8, 16, 24):
        x, y = ((v >> shift & 0xFF) - ((v >> shift & 0x80) << 1) for v in (a, b))
        out |= (max(-128, min(127, x + y)) & 0xFF) << shift
    return out


def test_functions_the_library_lacks(produced: Path) -> None:
    got = np.fromfile(produced / "functions", np.float64)
    expected = [
        0.5,
        0.0,
        3.0,
        0.5,
        0.0,
        0.5,
        0.4769362762044699,
        math.e * math.erfc(1.0),
        10.0,
        1.0,
        math.e,
        1024.0,
        100.0,
        1.2660658777520084,
        1.5,
        7.0,
    ]
    np.testing.assert_allclose(got, expected, rtol=3e-7, atol=1e-12)
