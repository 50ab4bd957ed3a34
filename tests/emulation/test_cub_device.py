"""CUB's device-wide algorithms agree with plain loops and keep to the two phases of storage."""

from __future__ import annotations

import pytest

from tests.emulation.cuda_builds import CudaBuilds, values

CHECKS = (
    "reduce", "reduce-nothing", "arg-max", "iterators", "scan", "sort-pairs", "sort-buffers",
    "sort-bits", "sort-floats", "merge-sort", "segments", "select-if", "partition", "runs",
    "histogram", "for", "no-errors",
)  # fmt: skip


@pytest.mark.parametrize("check", CHECKS)
def test_agrees_with_plain_loops(cuda: CudaBuilds, check: str) -> None:
    result = cuda.run_once("cub_device")
    assert result.ok, result.stderr
    assert values(result.stdout)[check] == ("1",)


def test_every_check_is_listed(cuda: CudaBuilds) -> None:
    assert tuple(values(cuda.run_once("cub_device").stdout)) == CHECKS
