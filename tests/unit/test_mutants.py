"""Seeded faults: what is changed, and that the same seed gives the same faults."""

from __future__ import annotations

from pathlib import PurePosixPath

from migrate.core.artifact import EmittedKernel
from migrate.core.rung import Rung
from migrate.core.span import NO_SPAN
from migrate.verify.mutants import mutants_of, sample

TEXT = b"""# a + b in a comment
def head():
    x = 1 + 2


def kernel():
    \"\"\"Doc: a - b < c.\"\"\"
    with T.Kernel(T.ceildiv(lanes, tile), threads=tile) as bx:
        for lane in T.Parallel(tile):
            i = bx * tile + lane
            if i < n:
                y[i] = a * x[i] + y[i]
            z = T.if_then_else(v < lo, lo, v)
"""


def _kernel(first: int = 6, last: int = 13) -> EmittedKernel:
    return EmittedKernel(
        "k", "k", "_Z1k", Rung.TILE, "k", PurePosixPath("k.py"), first, last, "", NO_SPAN
    )


def test_only_code_of_the_kernel_is_changed() -> None:
    lines = {m.line for m in mutants_of(TEXT, _kernel())}
    assert lines == {8, 10, 11, 12}


def test_each_mutant_differs_in_one_line() -> None:
    original = TEXT.split(b"\n")
    for m in mutants_of(TEXT, _kernel()):
        changed = m.content.split(b"\n")
        assert len(changed) == len(original)
        assert [
            i + 1 for i, (a, b) in enumerate(zip(original, changed, strict=True)) if a != b
        ] == [m.line]


def test_operators_that_generators_get_wrong_are_there() -> None:
    found = {(m.line, m.operator) for m in mutants_of(TEXT, _kernel())}
    wanted = {
        (8, "skipped block"),
        (11, "comparison off by one"),
        (12, "wrong operator"),
        (12, "index off by one"),
        (12, "dropped statement"),
    }
    assert wanted <= found


def test_choosing_between_equal_values_is_no_fault() -> None:
    assert not any(
        m.line == 13 and m.operator == "comparison off by one" for m in mutants_of(TEXT, _kernel())
    )


def test_samples_are_repeatable_and_spread() -> None:
    pool = mutants_of(TEXT, _kernel())
    one, two = sample(pool, 5, 3), sample(pool, 5, 3)
    assert one == two
    assert len({m.operator for m in one}) == 5
    assert len(sample(pool, 1000, 1)) == len(pool)
