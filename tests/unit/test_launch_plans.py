"""Which sizes of a launch generated launches make smaller."""

from __future__ import annotations

from pathlib import Path

from migrate.analysis.value_uses import ValueUses
from migrate.ir.kernel import Kernel, Module
from migrate.verify.capture import Argument, Capture, Launch
from migrate.verify.generate import Subject, plan

SIZES = (("m", 5), ("n", 6), ("k", 1), ("other", 9))


def _plans(count: int) -> list[dict[str, int]]:
    """The changed sizes of each planned launch."""
    args = tuple(Argument(name, "i32", value.to_bytes(4, "little")) for name, value in SIZES)
    grid = (1, 1, 1)
    launch = Launch(0, "f", "f", "f", grid, (32, 1, 1), 0, args, (), (), None)
    subject = Subject(Kernel("f", "f", (), ()), Module("m"), ValueUses({}, ("m", "n", "k")))
    found = plan(subject, (launch,), Capture(Path(), (launch,)), count, seed=1)
    return [{args[at].name: int.from_bytes(d, "little") for at, d in v.scalars} for v in found]


def test_all_sizes_at_once_and_then_one_after_the_other() -> None:
    # A size of 1 stays, and so does what bounds no index.
    assert _plans(3) == [{"m": 4, "n": 5}]
    assert _plans(9) == [{"m": 4, "n": 5}, {"m": 4}, {"n": 5}]
