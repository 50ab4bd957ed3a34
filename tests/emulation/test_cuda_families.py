"""Families of the CUDA API, one program each: many checks against plain C++ or known values."""

from __future__ import annotations

import pytest

from tests.emulation.cuda_builds import CudaBuilds


@pytest.mark.parametrize(
    ("program", "checks"),
    [
        ("textures", 65),
        ("blas", 110),
        ("fourier", 43),
        ("intrinsics", 41),
        ("random_numbers", 57),
        ("sparse_and_messages", 44),
    ],
)
def test_every_check_of_the_program_holds(cuda: CudaBuilds, program: str, checks: int) -> None:
    result = cuda.run_once(program)
    assert result.stdout.splitlines()[-1:] == [f"checked {checks} failed 0"], result.stdout
    assert result.ok, result.stderr
