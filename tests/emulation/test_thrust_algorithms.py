"""Thrust's vectors, algorithms and iterators agree with the standard library."""

from __future__ import annotations

import pytest

from tests.emulation.cuda_builds import CudaBuilds, values

CHECKS = (
    "vectors", "resized", "pointers", "one-and-none", "transform", "placeholders", "sequence",
    "difference", "for-each", "reduce", "transform-reduce", "reduce-by-key", "extrema", "count",
    "inclusive-in-place", "exclusive-in-place", "scan-order", "scan-by-key", "sort-by-key", "sort",
    "unique", "bounds", "sets", "copy-if", "remove-if", "partition", "gather-scatter", "counting",
    "transformed", "zip", "zip-sort", "permuted", "discarded", "reversed", "output", "random",
    "normal", "die", "complex", "no-errors",
)  # fmt: skip


@pytest.mark.parametrize("check", CHECKS)
def test_agrees_with_the_standard_library(cuda: CudaBuilds, check: str) -> None:
    result = cuda.run_once("thrust_algorithms")
    assert result.ok, result.stderr
    assert values(result.stdout)[check] == ("1",)


def test_every_check_is_listed(cuda: CudaBuilds) -> None:
    assert tuple(values(cuda.run_once("thrust_algorithms").stdout)) == CHECKS
