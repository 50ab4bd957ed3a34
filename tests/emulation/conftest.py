"""Fixtures for the emulation tests."""

from __future__ import annotations

import pytest

from tests.emulation.cuda_builds import CudaBuilds


@pytest.fixture(scope="session")
def cuda(tmp_path_factory: pytest.TempPathFactory) -> CudaBuilds:
    """The CUDA test programs, compiled on demand."""
    return CudaBuilds(tmp_path_factory.mktemp("cuda"))
