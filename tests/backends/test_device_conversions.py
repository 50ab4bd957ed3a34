"""Floats that become integers in generated Ascend C by way of a compound assignment."""

from __future__ import annotations

import pytest

from migrate.core.targets import Target
from tests.backends.conftest import Convert

HEAD = "__global__ void k(const float* x, int* p, float* y, int n)"
GUARD = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) {{ {} }}"


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("p[i] += x[i];", "p[i] = __float2int_rz(p[i] + x[i]);"),  # C++ would convert by itself
        ("p[i] *= 0.5f;", "p[i] = __float2int_rz(p[i] * 0.5f);"),
        ("p[i] += 2;", "p[i] += 2;"),  # stays an integer
        ("y[i] += p[i];", "y[i] += p[i];"),  # to a float: C++'s conversion is CUDA's
    ],
)
def test_compound_assignments(convert: Convert, statement: str, wanted: str) -> None:
    source = f"{HEAD} {{ {GUARD.format(statement)} }}\n"
    (file,) = [f for f in convert(source, Target.ASCEND_950).files if f.path.suffix == ".asc"]
    assert wanted in file.content.decode()
