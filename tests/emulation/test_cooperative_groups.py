"""Cooperative groups agree with plain loops: tiles, coalesced threads, partitions, grids."""

from __future__ import annotations

import pytest

from tests.emulation.cuda_builds import CudaBuilds, values

CHECKS = (
    "tiles-32", "tiles-8", "tiles-2", "coalesced", "labelled", "split", "any-group",
    "memcpy-async", "grid", "no-errors",
)  # fmt: skip


@pytest.mark.parametrize("check", CHECKS)
def test_agrees_with_plain_loops(cuda: CudaBuilds, check: str) -> None:
    result = cuda.run_once("cooperative")
    assert result.ok, result.stderr
    assert values(result.stdout)[check] == ("1",)


def test_every_check_is_listed(cuda: CudaBuilds) -> None:
    assert tuple(values(cuda.run_once("cooperative").stdout)) == CHECKS
