"""Comparison by element type: what counts as equal, and what must not."""

from __future__ import annotations

import numpy as np
import pytest

from migrate.ir.types import Kind
from migrate.verify.compare import Section, Tolerance, compare_buffer


def _whole(data: bytes, kind: Kind, size: int) -> tuple[Section, ...]:
    return (Section(0, kind, len(data) // size, size),)


def f32(*items: float) -> bytes:
    return np.array(items, dtype=np.float32).tobytes()


def test_identical_bytes_are_bit_equal() -> None:
    d = compare_buffer(b"\x01\x02", b"\x01\x02", ())
    assert d.equal
    assert d.bit_equal


@pytest.mark.parametrize(
    ("want", "got", "equal"),
    [
        ((1.0, 2.0), (1.0, np.nextafter(np.float32(2), np.float32(3))), True),
        ((1.0, 2.0), (1.0, 2.001), False),
        ((1.0e6, 1.0e-3), (1.0e6, 2.0e-1), False),  # a small element far off, in a large buffer
        ((1.0, np.nan), (1.0, np.nan), True),
        ((1.0, np.nan), (1.0, 2.0), False),
        ((1.0, 2.0), (1.0, np.nan), False),
        ((1.0, np.inf), (1.0, np.inf), True),
        ((1.0, np.inf), (1.0, -np.inf), False),
        ((1.0, np.inf), (1.0, 3.0e38), False),
        ((0.0, 1.0), (-0.0, 1.0), True),
        ((1.0e-30, 2.0e-30), (1.0e-30, 3.0e-30), False),  # all values tiny: no absolute slack
    ],
)
def test_f32(want: tuple[float, ...], got: tuple[float, ...], equal: bool) -> None:
    a, b = f32(*want), f32(*got)
    d = compare_buffer(a, b, _whole(a, Kind.F32, 4))
    assert d.equal is equal
    assert (d.wrong == 0) is equal
    assert bool(d.first) is not equal


def test_ulp_across_zero() -> None:
    a = np.array([1e-45, 1.0], dtype=np.float32).tobytes()
    b = np.array([-1e-45, 1.0], dtype=np.float32).tobytes()
    d = compare_buffer(a, b, _whole(a, Kind.F32, 4))
    assert d.max_ulp == 2


@pytest.mark.parametrize("kind", [Kind.I8, Kind.U16, Kind.I32, Kind.U64, Kind.BOOL])
def test_integers_are_exact(kind: Kind) -> None:
    size = {Kind.I8: 1, Kind.U16: 2, Kind.I32: 4, Kind.U64: 8, Kind.BOOL: 1}[kind]
    a = bytes(range(size * 4))
    b = bytes((a[0] ^ 1, *a[1:]))
    d = compare_buffer(a, b, _whole(a, kind, size))
    assert not d.equal
    assert d.wrong == 1
    assert d.first[0].offset == 0


def test_bytes_outside_of_sections_are_exact() -> None:
    a = f32(1.0) + b"\x00\x00\x00\x07"
    b = f32(1.0) + b"\x00\x00\x00\x08"
    d = compare_buffer(a, b, (Section(0, Kind.F32, 1, 4),))
    assert not d.equal
    assert d.first[0].offset == 7


def test_struct_sections_use_each_type() -> None:
    layout = np.dtype([("x", "<f4"), ("n", "<i4")])
    a = np.array([(1.0, 3), (2.0, 4)], dtype=layout)
    b = a.copy()
    b["x"][1] = np.nextafter(np.float32(2), np.float32(3))
    sections = (Section(0, Kind.F32, 2, 8), Section(4, Kind.I32, 2, 8))
    assert compare_buffer(a.tobytes(), b.tobytes(), sections).equal
    b["n"][1] = 5
    d = compare_buffer(a.tobytes(), b.tobytes(), sections)
    assert not d.equal
    assert d.first[0].offset == 12


@pytest.mark.parametrize(("kind", "step", "equal"), [(Kind.F16, 1, True), (Kind.F16, 8, False)])
def test_f16(kind: Kind, step: int, equal: bool) -> None:
    a = np.array([1.0, 2.5], dtype=np.float16)
    b = (a.view(np.int16) + np.array([0, step], dtype=np.int16)).astype(np.int16)
    d = compare_buffer(a.tobytes(), b.tobytes(), _whole(a.tobytes(), kind, 2))
    assert d.equal is equal
    assert d.max_ulp == step


def test_bf16_reads_as_the_upper_half_of_f32() -> None:
    a = np.array([0x3F80, 0x4000], dtype=np.uint16).tobytes()  # 1.0, 2.0
    b = np.array([0x3F80, 0x4040], dtype=np.uint16).tobytes()  # 1.0, 3.0
    d = compare_buffer(a, b, _whole(a, Kind.BF16, 2))
    assert not d.equal
    assert d.max_abs == 1.0


def test_a_case_can_widen_one_type() -> None:
    a, b = f32(1.0), f32(1.01)
    wide = {Kind.F32: Tolerance(0.02, 0.0)}
    assert compare_buffer(a, b, _whole(a, Kind.F32, 4), wide).equal


def test_sizes_must_agree() -> None:
    with pytest.raises(ValueError, match="bytes"):
        compare_buffer(b"\0", b"\0\0", ())
