"""CUB's block and warp primitives agree with plain loops, whatever the shape of the block."""

from __future__ import annotations

import pytest

from tests.emulation.cuda_builds import CudaBuilds, values

CHECKS = (
    "reduce-32", "reduce-96", "reduce-100", "reduce-1", "reduce-256", "scan-64x3", "scan-50x2",
    "scan-1", "sort-int", "sort-float", "sort-double", "sort-short", "rearranged-64x4",
    "rearranged-37x3", "warp-32", "warp-8", "no-errors",
)  # fmt: skip


@pytest.mark.parametrize("check", CHECKS)
def test_agrees_with_plain_loops(cuda: CudaBuilds, check: str) -> None:
    result = cuda.run_once("cub_block")
    assert result.ok, result.stderr
    assert values(result.stdout)[check] == ("1",)


def test_every_check_is_listed(cuda: CudaBuilds) -> None:
    assert tuple(values(cuda.run_once("cub_block").stdout)) == CHECKS
