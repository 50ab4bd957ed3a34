"""What depends on the order of a kernel's threads, and by how much float atomic sums can.

The bound, for one location to which ``n`` terms are added on top of its first content, with unit
roundoff ``u`` and ``S`` the sum of all their magnitudes: a computed sum is off by at most

    gamma_n S,  gamma_n = n u / (1 - n u)                         (Higham 2002, section 4.2)

whatever the order, and, when rounding errors are mean independent, with a probability above
``1 - 2 n exp(-lambda^2 / 2)`` by at most

    (exp(lambda sqrt(n) u + n u^2 / (1 - u)) - 1) S              (Higham and Mary 2019, theorem 2.4)

The first is rigorous, and used as long as twice of it is at most half an average term,
``S / (2 n)``: a term that is lost or added twice then shows. That is so up to 2,000 additions of
floats and 4e7 of doubles. Above, the smaller of the two is used; sums with errors that all go one
way (many equal terms) are not covered then, and count as what they are, different. ``n`` and ``S``
are what the runtime counted in this very launch, so nothing is assumed about the data. A location
that was stored to after its last addition has no bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from migrate.ir.types import Kind
from migrate.verify.capture import Launch, LaunchOrder, Slack
from migrate.verify.compare import Section, element_values
from migrate.verify.variants import Sums, VariantRun, same_outcome

_UNIT = {Kind.F16: 2.0**-11, Kind.BF16: 2.0**-8, Kind.F32: 2.0**-24, Kind.F64: 2.0**-53}
_PATTERN, _ORDINARY = 0xFFF5, 0x3FB5
"""What unwritten memory holds, and what a run on other fresh memory has there (``poison.h``)."""
_LAMBDA = 6.0
"""Failure probability below 3.1e-8 n for one location."""

Blob = Callable[[str], bytes]
Sections = Callable[[int], tuple[Section, ...]]
"""The sections of an allocation."""


def sum_bound(additions: float, magnitude: float, kind: Kind) -> float:
    """How far two orders of a float sum can lie apart, absolute."""
    u = _UNIT[kind]
    worst = additions * u / (1 - additions * u) if additions * u < 0.5 else math.inf
    if 2 * worst * additions <= 0.5:
        return 2 * worst * magnitude
    likely = math.expm1(min(_LAMBDA * math.sqrt(additions) * u + additions * u * u / (1 - u), 1.0))
    return 2 * min(worst, likely) * magnitude


def slack_of(sums: Sums, sections: tuple[Section, ...]) -> Slack:
    """The bounds of all sums in a buffer; elements of 2 bytes need a section that types them."""
    floats = {4: Kind.F32, 8: Kind.F64}
    for s in sections:
        if s.kind in (Kind.F16, Kind.BF16):
            floats[2] = s.kind
    known = np.isin(sums.sizes, list(floats))
    offsets, sizes = sums.offsets[known], sums.sizes[known]
    rows = zip(sums.additions[known], sums.magnitudes[known], sizes, strict=True)
    bounds = np.array([sum_bound(float(n), float(m), floats[int(k)]) for n, m, k in rows])
    order = np.argsort(offsets)
    return Slack(offsets[order], sizes[order], bounds[order].astype(np.float64))


def observe_order(
    forward: VariantRun,
    others: tuple[VariantRun, ...],
    base: Launch,
    sections: Sections,
    blob: Blob,
    fresh: VariantRun | None = None,
) -> LaunchOrder | None:
    """What the orders showed of ``base``; None when the forward run or all others are missing.

    ``fresh`` ran in the usual order on other contents of memory that nobody wrote.
    """
    if forward.launch is None or not any(o.launch for o in others):
        return None
    slack = {alloc: slack_of(s, sections(alloc)) for alloc, s in forward.sums.items()}
    repeatable = same_outcome(forward.launch, base)
    ordered, explained, details = False, True, dict[str, None]()
    for other in others:
        if other.launch is None or same_outcome(other.launch, base):
            continue
        ordered = True
        found, detail = _explain(base, other.launch, slack, sections, blob)
        explained &= found
        details[detail] = None
    unwritten = (
        fresh is not None
        and fresh.launch is not None
        and not _explain(forward.launch, fresh.launch, {}, sections, blob, fresh=True)[0]
    )
    facts = tuple(slack.items())
    return LaunchOrder(repeatable, ordered, explained, facts, "; ".join(details), unwritten)


def _explain(
    base: Launch,
    other: Launch,
    slack: dict[int, Slack],
    sections: Sections,
    blob: Blob,
    *,
    fresh: bool = False,
) -> tuple[bool, str]:
    """Whether all that differs lies within the bounds of float sums, and a line about it.

    With ``fresh`` the other run had ordinary numbers in unwritten memory, and what it put back to
    the pattern is no difference.
    """
    if [(g.name, g.after) for g in base.globals] != [(g.name, g.after) for g in other.globals]:
        return False, "a device variable differs"
    most, allowed, count = 0.0, 0.0, 0
    for b, o in zip(base.buffers, other.buffers, strict=True):
        if b.after == o.after:
            continue
        want, got = blob(b.after), blob(o.after)
        differ = np.frombuffer(want, np.uint8) != np.frombuffer(got, np.uint8)
        if fresh:
            differ &= ~_put_back(want, got)
        mine = slack.get(b.alloc)
        if mine is not None:
            at, gap = _gaps(want, got, mine, sections(b.alloc))
            moved = gap > 0
            within = gap <= mine.bounds[at]
            for byte in range(int(mine.sizes.max(initial=0))):
                reach = within & (byte < mine.sizes[at])
                differ[mine.offsets[at][reach] + byte] = False
            most = max(most, float(gap[moved].max(initial=0.0)))
            allowed = max(allowed, float(mine.bounds[at][moved].max(initial=0.0)))
            count += int(moved.sum())
        if differ.any():
            where = int(np.flatnonzero(differ)[0])
            total = int(differ.sum())
            return False, f"allocation {b.alloc}: {total} bytes differ, the first at byte {where}"
    return True, f"{count} float sums move by up to {most:.3g}, bound {allowed:.3g}"


def _put_back(want: bytes, got: bytes) -> NDArray[np.bool_]:
    """Bytes of a run on other fresh memory that look unwritten and are results.

    The runtime gives the pattern back to every unit of 16 bits that still holds the number it had
    put there (``variants_impl.h``), and a result can have the same 16 bits. The other run tells:
    there the unit holds that number, which no unwritten memory does.
    """
    even = len(want) // 2 * 2
    left = np.frombuffer(want[:even], np.uint16), np.frombuffer(got[:even], np.uint16)
    found = np.zeros(len(want), dtype=bool)
    found[:even] = np.repeat((left[0] == _ORDINARY) & (left[1] == _PATTERN), 2)
    return found


def _gaps(
    want: bytes, got: bytes, slack: Slack, sections: tuple[Section, ...]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Positions in ``slack`` and how far each element moved."""
    positions: list[NDArray[np.intp]] = []
    gaps: list[NDArray[np.float64]] = []
    half = Kind.BF16 if any(s.kind is Kind.BF16 for s in sections) else Kind.F16
    for size, kind in ((2, half), (4, Kind.F32), (8, Kind.F64)):
        at = np.flatnonzero(slack.sizes == size)
        if not at.size:
            continue
        a = element_values(want, slack.offsets[at], kind)
        b = element_values(got, slack.offsets[at], kind)
        with np.errstate(all="ignore"):
            gap = np.abs(a - b)
        positions.append(at)
        gaps.append(np.where(np.isfinite(gap), gap, np.where(a == b, 0.0, np.inf)))
    return np.concatenate(positions), np.concatenate(gaps)


def agree(a: VariantRun, b: VariantRun, sections: Sections, blob: Blob) -> LaunchOrder | None:
    """The order facts of a generated launch; None when two runs of it cannot be told from chance.

    The runs differ in order, in what lies around the allocations and in what unwritten memory
    holds: whatever differs beyond the bounds of float sums makes the launch worthless.
    """
    if a.launch is None or b.launch is None:
        return None
    slack = {alloc: slack_of(s, sections(alloc)) for alloc, s in a.sums.items()}
    if _explain(a.launch, b.launch, {}, sections, blob, fresh=True)[0]:
        return LaunchOrder(True, False, True, tuple(slack.items()))
    explained, detail = _explain(a.launch, b.launch, slack, sections, blob, fresh=True)
    return LaunchOrder(True, True, True, tuple(slack.items()), detail) if explained else None
