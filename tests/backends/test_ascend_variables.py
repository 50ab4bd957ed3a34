"""Device variables: every way to write them gets `__gm__` once, and host code none."""

from __future__ import annotations

import pytest

from migrate.core.targets import Target
from tests.backends.conftest import Convert

PROGRAM = """#include <cuda_runtime.h>
#define DEVICE __device__
#define TABLE static __constant__ __device__
%s
DEVICE float twice(float v) { return 2 * v; }
__global__ void k(float* x) { x[threadIdx.x] = twice(a) + b[threadIdx.x & 1]; }
int main() { k<<<1, 32>>>(nullptr); }
"""


@pytest.mark.parametrize("chip", [Target.ASCEND_950, Target.ASCEND_910B])
@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("DEVICE float a = 1;\nTABLE float b[] = {1, 2};", "__gm__ float a = 1;\nstatic __gm__ float b[] ="),
        ("__device__ float a, b[2];", "__gm__ float a, b[2];"),
        ("static const __constant__ float a = 2, b[2] = {3, 4};", "static const __gm__ float a = 2, b"),
        ("static DEVICE float a; DEVICE float b[2];", "static __gm__ float a; __gm__ float b[2];"),
    ],
)  # fmt: skip
def test_a_device_variable_lies_in_device_memory(
    convert: Convert, chip: Target, written: str, made: str
) -> None:
    artifact = convert(PROGRAM % written, chip)
    assert not artifact.refused, artifact.refused[0].diagnostics
    text = artifact.files[0].content.decode()
    assert made in text
    variables = text.partition("#define TABLE")[2].partition("__global__")[0]
    assert variables.count("__gm__ ") == made.count("__gm__ ")
