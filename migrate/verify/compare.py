"""Compares what a migrated kernel left in memory with what the original left there.

Policy, by element type:

* integers and bool: bit-exact;
* floats: ``|got - want| <= rtol * |want| + atol * max|want|``, the maximum over the section.
  ``rtol`` allows a few units in the last place for library functions that are not correctly
  rounded on either side; ``atol`` is at most one rounding error at the section's own scale, so that
  it cannot hide a wrong element;
* NaN must meet NaN and an infinity the same infinity.

Only the bytes whose type is known from the launch are read as floats; all others are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from migrate.ir.types import Kind, Scalar
from migrate.verify.capture import Slack

Values = NDArray[np.float16 | np.float32 | np.float64 | np.int64 | np.uint64]
_TOLERANCE: dict[Kind, tuple[float, float]] = {
    Kind.F16: (2.0e-3, 5.0e-5),
    Kind.BF16: (1.6e-2, 4.0e-4),
    Kind.F32: (1.0e-5, 1.0e-7),
    Kind.F64: (1.0e-12, 1.0e-15),
}
"""(rtol, atol): two ulp for the 16-bit types, about 80 ulp for f32, 4500 ulp for f64. ``atol`` of
the 16-bit types is a tenth of a rounding error at the section's scale: arithmetic on them rounds
each operation on both sides, so that results differ, if at all, by their own last place."""

_ULP_EDGES = (0, 1, 2, 4, 16, 64, 1024)
FIRST = 8


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Bounds for one element type; ``rtol`` relative, ``atol`` relative to the buffer's maximum.

    ``any_nan``: where bits have to be the same, one NaN is still as good as another.
    """

    rtol: float
    atol: float
    any_nan: bool = False

    @property
    def exact(self) -> bool:
        """No difference is allowed."""
        return self.rtol == 0 and self.atol == 0


EXACT = Tolerance(0.0, 0.0)
SAME_VALUE = Tolerance(0.0, 0.0, any_nan=True)


def default_tolerance(kind: Kind) -> Tolerance:
    """The tolerance of a scalar kind; exact for integers and bool."""
    found = _TOLERANCE.get(kind)
    return EXACT if found is None else Tolerance(*found)


@dataclass(frozen=True, slots=True)
class Section:
    """``count`` elements of ``kind`` from byte ``offset``, ``stride`` bytes apart."""

    offset: int
    kind: Kind
    count: int
    stride: int


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """One differing element: its byte offset and both values as text."""

    offset: int
    want: str
    got: str


@dataclass(frozen=True, slots=True)
class Difference:
    """How two buffers differ. ``ulp_histogram`` counts elements up to 0, 1, 2, 4, 16, 64, 1024
    and more ulp apart; ``cosine`` is the cosine of the angle between the two as vectors."""

    equal: bool
    bit_equal: bool
    elements: int
    wrong: int
    max_abs: float
    max_rel: float
    max_ulp: int
    ulp_histogram: tuple[int, ...]
    cosine: float
    first: tuple[FirstDifference, ...]
    note: str = ""


def _strided(data: bytes, section: Section, size: int) -> NDArray[np.uint8]:
    raw = np.frombuffer(data, dtype=np.uint8)
    shape = (section.count, size)
    view = np.lib.stride_tricks.as_strided(
        raw[section.offset :], shape=shape, strides=(section.stride, 1), writeable=False
    )
    return np.ascontiguousarray(view)


_NUMPY: dict[Kind, str] = {
    Kind.BOOL: "<u1",
    Kind.I8: "<i1",
    Kind.U8: "<u1",
    Kind.I16: "<i2",
    Kind.U16: "<u2",
    Kind.I32: "<i4",
    Kind.U32: "<u4",
    Kind.I64: "<i8",
    Kind.U64: "<u8",
    Kind.F16: "<f2",
    Kind.BF16: "<u2",
    Kind.F32: "<f4",
    Kind.F64: "<f8",
}


def element_size(kind: Kind) -> int:
    """Bytes of one element."""
    return Scalar(kind).bytes


def values(data: bytes, section: Section) -> Values:
    """The elements of a section; bfloat16 comes as float32."""
    size = element_size(section.kind)
    flat = np.frombuffer(_strided(data, section, size).tobytes(), dtype=_NUMPY[section.kind])
    if section.kind is Kind.BF16:
        wide: NDArray[np.float32] = (flat.astype(np.uint32) << np.uint32(16)).view(np.float32)
        return wide
    return flat


def element_values(data: bytes, offsets: NDArray[np.int64], kind: Kind) -> NDArray[np.float64]:
    """The elements of a kind at byte offsets, as doubles."""
    size = element_size(kind)
    raw = np.frombuffer(data, dtype=np.uint8)
    picked = raw[offsets[:, None] + np.arange(size)].tobytes()
    flat = Section(0, kind, offsets.size, size)
    wide: NDArray[np.float64] = values(picked, flat).astype(np.float64)
    return wide


def _ordered(data: bytes, section: Section) -> NDArray[np.int64]:
    """Float bits as integers whose distance is the distance in ulp."""
    size = element_size(section.kind)
    raw = np.frombuffer(_strided(data, section, size).tobytes(), dtype=f"<i{size}")
    bits = raw.astype(np.int64)
    magnitude = bits & np.int64((1 << (size * 8 - 1)) - 1)
    ordered: NDArray[np.int64] = np.where(bits < 0, -magnitude, magnitude)
    return ordered


def _allowed(s: Section, slack: Slack | None) -> NDArray[np.float64]:
    """What the order of float atomic additions adds to the bound of each element."""
    extra = np.zeros(s.count)
    if slack is not None:
        at = slack.offsets - s.offset
        mine = (at >= 0) & (at % s.stride == 0) & (at // s.stride < s.count)
        mine &= slack.sizes == element_size(s.kind)
        extra[at[mine] // s.stride] = slack.bounds[mine]
    return extra


def _float_section(
    want: bytes, got: bytes, s: Section, tolerance: Tolerance, slack: Slack | None
) -> Difference:
    a = values(want, s).astype(np.float64)
    b = values(got, s).astype(np.float64)
    both_nan = np.isnan(a) & np.isnan(b)
    finite = np.isfinite(a) & np.isfinite(b)
    with np.errstate(all="ignore"):
        gap = np.where(finite, np.abs(a - b), np.where((a == b) | both_nan, 0.0, np.inf))
        scale = float(np.max(np.abs(a[np.isfinite(a)]), initial=0.0))
        bound = tolerance.rtol * np.abs(np.where(finite, a, 0.0)) + tolerance.atol * scale
        wrong = ~(gap <= bound + _allowed(s, slack))
        rel = np.where(gap == 0, 0.0, gap / np.maximum(np.abs(a), np.finfo(np.float64).tiny))
        ulp = np.where(finite, np.abs(_ordered(want, s) - _ordered(got, s)), 0)
        norm = float(np.linalg.norm(a[finite]) * np.linalg.norm(b[finite]))
        cosine = float(np.dot(a[finite], b[finite]) / norm) if norm > 0 else 1.0
    return Difference(
        equal=not bool(wrong.any()),
        bit_equal=bool((ulp == 0).all() and not wrong.any()),
        elements=int(a.size),
        wrong=int(wrong.sum()),
        max_abs=float(gap.max(initial=0.0)),
        max_rel=float(rel.max(initial=0.0)),
        max_ulp=int(ulp.max(initial=0)),
        ulp_histogram=_histogram(ulp),
        cosine=cosine,
        first=_first(wrong, a, b, s),
    )


def _histogram(ulp: NDArray[np.int64]) -> tuple[int, ...]:
    below = [int((ulp <= edge).sum()) for edge in _ULP_EDGES]
    counts = [below[0], *(hi - lo for lo, hi in pairwise(below))]
    return (*counts, int(ulp.size) - below[-1])


def _first(
    wrong: NDArray[np.bool_], a: NDArray[np.float64], b: NDArray[np.float64], s: Section
) -> tuple[FirstDifference, ...]:
    at = np.flatnonzero(wrong)[:FIRST]
    return tuple(
        FirstDifference(s.offset + int(i) * s.stride, f"{a[i]:.9g}", f"{b[i]:.9g}") for i in at
    )


def _exact_section(want: bytes, got: bytes, s: Section, *, any_nan: bool = False) -> Difference:
    a, b = values(want, s), values(got, s)
    size = element_size(s.kind)
    wrong = (_strided(want, s, size) != _strided(got, s, size)).any(axis=1)
    if any_nan:
        wrong &= ~(np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        gap = np.nan_to_num(np.abs(a.astype(np.float64) - b.astype(np.float64)))
    count = int(wrong.sum())
    return Difference(
        equal=count == 0,
        bit_equal=count == 0,
        elements=int(a.size),
        wrong=count,
        max_abs=float(gap.max(initial=0.0)),
        max_rel=0.0,
        max_ulp=0,
        ulp_histogram=(),
        cosine=1.0,
        first=tuple(
            FirstDifference(s.offset + int(i) * s.stride, str(a[i]), str(b[i]))
            for i in np.flatnonzero(wrong)[:FIRST]
        ),
    )


def compare_buffer(
    want: bytes,
    got: bytes,
    sections: tuple[Section, ...],
    tolerance: dict[Kind, Tolerance] | None = None,
    slack: Slack | None = None,
) -> Difference:
    """Compare two buffers of one size, section by section.

    Bytes outside every section are compared exactly. ``tolerance`` replaces the default of some
    kinds (a corpus case may widen it, with its reason); ``slack`` adds to it where float atomics
    summed up. Raises ``ValueError`` when sizes differ.
    """
    if len(want) != len(got):
        raise ValueError(f"buffers of {len(want)} and {len(got)} bytes")
    if want == got:
        return Difference(True, True, 0, 0, 0.0, 0.0, 0, (), 1.0, ())
    covered = np.zeros(len(want), dtype=bool)
    parts: list[Difference] = []
    for s in sections:
        if s.count <= 0:
            continue
        size = element_size(s.kind)
        starts = s.offset + np.arange(s.count) * s.stride
        for byte in range(size):
            covered[starts + byte] = True
        bound = (tolerance or {}).get(s.kind, default_tolerance(s.kind))
        parts.append(
            _exact_section(want, got, s, any_nan=bound.any_nan)
            if bound.exact
            else _float_section(want, got, s, bound, slack)
        )
    rest = np.flatnonzero(~covered)
    if rest.size:
        parts.append(_rest(want, got, rest))
    return _merge(tuple(parts))


def _rest(want: bytes, got: bytes, at: NDArray[np.intp]) -> Difference:
    a = np.frombuffer(want, dtype=np.uint8)[at]
    b = np.frombuffer(got, dtype=np.uint8)[at]
    bad = np.flatnonzero(a != b)
    first = tuple(
        FirstDifference(int(at[i]), f"0x{int(a[i]):02x}", f"0x{int(b[i]):02x}") for i in bad[:FIRST]
    )
    equal = bad.size == 0
    note = "" if equal else "bytes of unknown type differ"
    return Difference(equal, equal, int(at.size), int(bad.size), 0.0, 0.0, 0, (), 1.0, first, note)


def _merge(parts: tuple[Difference, ...]) -> Difference:
    histograms = [p.ulp_histogram for p in parts if p.ulp_histogram]
    first = sorted((f for p in parts for f in p.first), key=lambda f: f.offset)[:FIRST]
    return Difference(
        equal=all(p.equal for p in parts),
        bit_equal=all(p.bit_equal for p in parts),
        elements=sum(p.elements for p in parts),
        wrong=sum(p.wrong for p in parts),
        max_abs=max((p.max_abs for p in parts), default=0.0),
        max_rel=max((p.max_rel for p in parts), default=0.0),
        max_ulp=max((p.max_ulp for p in parts), default=0),
        ulp_histogram=tuple(sum(c) for c in zip(*histograms, strict=True)),
        cosine=min((p.cosine for p in parts), default=1.0),
        first=tuple(first),
        note="; ".join(p.note for p in parts if p.note),
    )
