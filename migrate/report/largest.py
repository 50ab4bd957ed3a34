"""The largest difference of a kernel in a few words, the same in every format."""

from __future__ import annotations

import math
from dataclasses import dataclass

from migrate.report.model import KernelRow


@dataclass(frozen=True, slots=True)
class LargestDifference:
    """``words`` for people; ``order`` sorts as the words read, nothing compared first."""

    order: float
    words: str


def number(value: float) -> str:
    """A count or a measure, short: ``1 234``, ``3.1e-07``, ``∞``."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u202f") if abs(value) < 10**7 else f"{value:.1e}"
    return f"{value:.3g}"


def largest_difference(row: KernelRow) -> LargestDifference:
    """Over all compared buffers of all launches: in ulp where floats were compared.

    A launch that did not end well has no buffers; its kernel must not look equal for that. Nor must
    one whose launches changed no memory (CM5008), which is ``compiled`` whatever was compared.
    """
    if row.verdict == "different" and any(x.problem for x in row.launches):
        return LargestDifference(math.inf, "run failed")
    buffers = [b for x in row.launches for b in x.buffers]
    if row.verdict in ("compiled", "emitted") or row.compared == 0 or not buffers:
        return LargestDifference(-1.0, "")
    if all(b.bit_equal for b in buffers):
        return LargestDifference(0.0, "bit-equal")
    ulp = max(b.max_ulp for b in buffers)
    if ulp == 0:
        wrong = sum(b.wrong for b in buffers)
        return LargestDifference(math.inf, f"{number(wrong)} wrong")
    rel = max(b.max_rel for b in buffers)
    return LargestDifference(float(ulp), f"{number(ulp)} ulp, {number(rel)} rel")
