"""The bound on sums in another order holds where it must, and catches what is no matter of order."""

from __future__ import annotations

import numpy as np
import pytest

from migrate.ir.types import Kind
from migrate.verify.capture import Slack
from migrate.verify.compare import Section, compare_buffer
from migrate.verify.order import slack_of, sum_bound
from migrate.verify.variants import Sums

F32 = (Section(0, Kind.F32, 2, 4),)


def _sums(offset: int, size: int, additions: int, magnitude: float) -> Sums:
    return Sums(
        np.array([offset]),
        np.array([size]),
        np.array([float(additions)]),
        np.array([magnitude]),
    )


@pytest.mark.parametrize("count", [2, 30, 1000, 20000])
@pytest.mark.parametrize("sign", [False, True])
def test_any_two_orders_lie_within_the_bound(count: int, sign: bool) -> None:
    rng = np.random.default_rng(count)
    terms = rng.uniform(-1 if sign else 0, 1, count).astype(np.float32)
    bound = sum_bound(count, float(np.abs(terms.astype(np.float64)).sum()), Kind.F32)
    found = [float(np.cumsum(rng.permutation(terms))[-1]) for _ in range(20)]
    assert max(found) - min(found) <= bound


@pytest.mark.parametrize("count", [10, 1000])
def test_a_lost_term_is_more_than_the_bound(count: int) -> None:
    assert sum_bound(count, float(count), Kind.F32) < 1.0
    assert sum_bound(count, float(count), Kind.F64) < 1e-9


def test_half_types_need_their_section() -> None:
    assert slack_of(_sums(0, 2, 5, 1.0), ()).offsets.size == 0
    half = slack_of(_sums(0, 2, 5, 1.0), (Section(0, Kind.F16, 2, 2),))
    brain = slack_of(_sums(0, 2, 5, 1.0), (Section(0, Kind.BF16, 2, 2),))
    assert float(brain.bounds[0]) > float(half.bounds[0]) > 0


def _slack(offset: int, bound: float) -> Slack:
    return Slack(np.array([offset]), np.array([4]), np.array([bound]))


@pytest.mark.parametrize(
    ("slack", "equal"),
    [
        (None, False),
        (_slack(4, 0.01), True),
        (_slack(4, 0.0001), False),  # the sum moved by more than its order explains
        (_slack(0, 0.01), False),  # another element's bound
    ],
)
def test_only_summed_elements_get_slack(slack: Slack | None, equal: bool) -> None:
    want = np.array([1.0, 0.0], np.float32).tobytes()
    got = np.array([1.0, 0.001], np.float32).tobytes()
    assert compare_buffer(want, got, F32, None, slack).equal is equal
