"""Files on which other migration tools fell: names, includes, macros and launches in the output."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest

from migrate.core.artifact import Artifact
from migrate.core.targets import Target
from tests.backends.conftest import Convert

KERNEL = "__global__ void k(float* x) { x[threadIdx.x] = 1.0f; }\n"


def _text(artifact: Artifact) -> str:
    return artifact.files[0].content.decode()


@pytest.mark.parametrize(("name", "made"), [("k.v2.cu", "k.v2.asc"), ("a.b.c.cu", "a.b.c.asc")])
def test_a_name_with_several_dots(convert: Convert, name: str, made: str) -> None:
    assert convert(KERNEL, name=name).files[0].path == PurePosixPath(made)


def test_two_calls_in_the_body_of_one_macro(convert: Convert) -> None:
    out = _text(
        convert(
            "#include <cuda_runtime.h>\n"
            "#define RENEW(p, n) do { cudaFree(p); cudaMalloc(&p, n); } while (0)\n"
            f"{KERNEL}int main() {{ float* d = nullptr; RENEW(d, 64); k<<<1, 4>>>(d); }}\n"
        )
    )
    (line,) = [x for x in out.splitlines() if x.startswith("#define RENEW")]
    assert "aclrtFree(p)" in line and "aclrtMalloc((void**)&p" in line
    assert "RENEW(d, 64);" in out


def test_a_macro_that_is_given_a_kernel(convert: Convert) -> None:
    out = _text(
        convert(
            "#include <cuda_runtime.h>\n#define RUN(f, n, ...) f<<<1, n>>>(__VA_ARGS__)\n"
            f"{KERNEL}int main() {{ float* d; cudaMalloc(&d, 64); RUN(k, 4, d); }}\n"
        )
    )
    assert "RUN(k, 4, d);" in out
    assert re.search(
        r"#define RUN\(f, n, \.\.\.\) launch_##f\(1, n, 0, nullptr, __VA_ARGS__\)", out
    )


def test_headers_of_sixteen_bit_types_side_by_side(convert: Convert) -> None:
    out = _text(
        convert(
            "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
            "__global__ void k(__half* x, __nv_bfloat16* y) {"
            " x[0] = __float2half(1.0f); y[0] = __float2bfloat16(2.0f); }\n"
        )
    )
    assert "cuda_fp16" not in out and "cuda_bf16" not in out


def test_own_headers_with_names_like_those_of_cuda(convert: Convert, tmp_path: Path) -> None:
    (tmp_path / "my_cuda_runtime.h").write_text("#pragma once\nconstexpr int kOwn = 3;\n")
    (tmp_path / "extra.h").write_text("#pragma once\n#include <vector>\n")
    out = _text(
        convert(
            '#include "my_cuda_runtime.h"\n#include "extra.h"\n#include <cuda_runtime.h>\n'
            f"{KERNEL}int main() {{ return kOwn; }}\n"
        )
    )
    assert '#include "my_cuda_runtime.h"\n#include "extra.h"\n' in out
    assert "<cuda_runtime.h>" not in out


def test_a_local_header_with_kernels_keeps_its_name(convert: Convert, tmp_path: Path) -> None:
    (tmp_path / "kernels.cuh").write_text(f"#pragma once\n{KERNEL}")
    artifact = convert(
        '#include "kernels.cuh"\nint main() { float* d; cudaMalloc(&d, 64); k<<<1, 4>>>(d); }\n'
    )
    files = {str(f.path): f.content.decode() for f in artifact.files}
    assert '#include "kernels.cuh"' in files["unit.asc"]
    assert "launch_k" in files["kernels.cuh"]


def test_functions_of_the_standard_library_stay(convert: Convert) -> None:
    body = "  return std::max(1, std::min(2, 3)) + (int)std::abs(-1.5f);\n"
    source = f"#include <algorithm>\n#include <cmath>\n{KERNEL}int main() {{\n{body}}}\n"
    assert body in _text(convert(source))


@pytest.mark.parametrize("chip", [Target.ASCEND_950, Target.ASCEND_910B])
def test_a_launch_of_a_kernel_in_a_namespace(convert: Convert, chip: Target) -> None:
    source = (
        f"namespace outer {{ namespace inner {{ {KERNEL} }} }}\n"
        "namespace alias = outer::inner;\n"
        "int main() { float* d; cudaMalloc(&d, 64);\n"
        "  outer::inner::k<<<1, 4>>>(d);\n  alias::k<<<1, 4>>>(d);\n"
        "  using namespace outer; inner::k<<<1, 4>>>(d); }\n"
    )
    out = _text(convert(source, chip))
    for name in ("outer::inner::launch_k(1,", "alias::launch_k(1,", " inner::launch_k(1,"):
        assert name in out


def test_an_algorithm_without_counterpart_is_said(convert: Convert) -> None:
    artifact = convert(
        "#include <cub/cub.cuh>\n"
        f"{KERNEL}void run(int* in, int* keys, int* counts, int* runs, int n) {{\n"
        "  size_t bytes = 0;\n"
        "  cub::DeviceRunLengthEncode::Encode(nullptr, bytes, in, keys, counts, runs, n);\n}\n"
    )
    assert [k.name for k in artifact.kernels] == ["k"]
    assert any("cub" in d.cause.lower() for d in artifact.diagnostics)


def test_a_copy_to_a_constant_scalar(convert: Convert) -> None:
    artifact = convert(
        "__constant__ float factor;\n"
        "__global__ void scale(float* x) { x[threadIdx.x] *= factor; }\n"
        "int main() { float f = 2; cudaMemcpyToSymbol(factor, &f, sizeof f); }\n"
    )
    assert [k.name for k in artifact.kernels] == ["scale"]
    assert "cudaMemcpyToSymbol" not in _text(artifact)
