"""libcu++ on the CPU runtime: atomics, barriers, pipelines, names of the standard library."""

from __future__ import annotations

import pytest

from tests.emulation.cuda_builds import CudaBuilds, values

CHECKS = (
    "atomics", "barrier", "pipeline", "pipeline-primitives", "standard", "on-the-host",
    "no-errors",
)  # fmt: skip


@pytest.mark.parametrize("check", CHECKS)
def test_holds(cuda: CudaBuilds, check: str) -> None:
    result = cuda.run_once("libcupp")
    assert result.ok, result.stderr
    assert values(result.stdout)[check] == ("1",)


def test_every_check_is_listed(cuda: CudaBuilds) -> None:
    assert tuple(values(cuda.run_once("libcupp").stdout)) == CHECKS
