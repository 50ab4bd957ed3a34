"""Host calls beyond the plain ones: migrated programs run on the CPU runtime, stand-ins fail loudly."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.backends.ascendc.api_lint import lint_api
from migrate.backends.ascendc.api_table import load_api_table
from migrate.backends.ascendc.host_libraries import all_declared, library_of
from migrate.backends.ascendc.host_stubs import stand_text, stands
from migrate.core.artifact import Artifact
from migrate.core.cpp_text import tokens
from migrate.core.targets import Target
from tests.backends.ascend_runs import run
from tests.backends.conftest import Convert

PROGRAMS = Path(__file__).parent / "host_programs"
CHIPS = (Target.ASCEND_950, Target.ASCEND_910B)


def codes(artifact: Artifact) -> set[str]:
    return {d.code.id for d in artifact.diagnostics}


@pytest.mark.parametrize("chip", CHIPS)
def test_host_calls_run(convert: Convert, tmp_path: Path, chip: Target) -> None:
    source = (PROGRAMS / "host_calls.cu").read_text()
    if chip is Target.ASCEND_950:
        # Its managed memory is copied around launches whose arguments are seen, and no others.
        (refused,) = (d for d in convert(source, chip).diagnostics if d.code.id == "CM4003")
        assert refused.cause.startswith("cudaLaunchKernel with 6 arguments: managed memory")
        plain = "add<<<4, 256, 0, s>>>(d, v, n); (void)args;"
        by_address = "CHECK(cudaLaunchKernel((void*)add, dim3(4), dim3(256), args, 0, s));"
        assert by_address in source
        source = source.replace(by_address, plain)
    artifact = convert(source, chip)
    assert "CM4003" not in codes(artifact)
    assert "CM4009" not in codes(artifact)
    ran = run(artifact, tmp_path).result
    assert ran is not None
    assert (ran.exit, ran.stdout) == (0, "PASS\n"), ran.stderr


def test_stand_ins_compile_and_fail_loudly(convert: Convert, tmp_path: Path) -> None:
    artifact = convert(PROGRAMS / "stand_ins.cu")
    named = {d.cause.split()[0].rstrip(":") for d in artifact.diagnostics if d.code.id == "CM4003"}
    for name in ("cudnnHandle_t", "CUDNN_STATUS_SUCCESS", "cudaResourceDesc", "cuDeviceGet"):
        assert name in named
    quiet = run(artifact, tmp_path).result
    assert quiet is not None
    assert (quiet.exit, quiet.stdout) == (0, "PASS\n"), quiet.stderr
    source = (PROGRAMS / "stand_ins.cu").read_text().replace("argc > 1", "argc > 0")
    loud = run(convert(source), tmp_path / "loud").result
    assert loud is not None
    assert loud.exit != 0
    assert "CM4003: cudnnCreateTensorDescriptor has no counterpart" in loud.stderr


HEAD = (
    "#include <cuda_runtime.h>\n#include <cstdio>\n__global__ void k(float** p) { p[0][0] = 1; }\n"
)


def test_managed_memory_with_pointers_inside_fails_loudly(convert: Convert, tmp_path: Path) -> None:
    source = (
        f"{HEAD}int main() {{\n  float** p; float* q;\n"
        "  cudaMallocManaged(&p, 64); cudaMallocManaged(&q, 64);\n"
        "  p[0] = q;\n  k<<<1, 1>>>(p);\n  cudaDeviceSynchronize();\n  return 0;\n}\n"
    )
    ran = run(convert(source), tmp_path).result
    assert ran is not None
    assert ran.exit != 0
    assert "CM4003: managed memory holds what looks like a pointer" in ran.stderr


def test_a_call_with_a_constant_that_has_no_counterpart_has_none(convert: Convert) -> None:
    source = f"{HEAD}int main() {{ void* p; cudaMalloc(&p, cudaFoo); return 0; }}\n"
    artifact = convert(source.replace("cudaFoo", "CUDNN_MAX_SM_MAJOR_NUMBER"))
    text = artifact.files[0].content.decode()
    assert 'cudaUnsupported("CM4003: cudaMalloc has no counterpart' in text


def test_names_of_the_program_are_its_own(convert: Convert) -> None:
    before = (
        "struct CUserData { int n; };\nstatic int cublasLike(int n) { return n; }\n"
        "static void* cudnnFind(CUserData* d) { return d; }\n#define cudaCheck(x) (x)\n"
    )
    body = "CUserData d{1}; cudaCheck(cublasLike(d.n)); return cudnnFind(&d) == nullptr;"
    artifact = convert(f"{before}{HEAD}int main() {{ {body} }}\n")
    text = artifact.files[0].content.decode()
    assert body in text
    assert "CM4003" not in codes(artifact)


def test_names_know_their_library() -> None:
    assert library_of("cudaMalloc") == "runtime"
    assert library_of("cublasLtMatmul") == "cuBLAS"
    assert library_of("CUDNN_STATUS_SUCCESS") == "cuDNN"
    assert library_of("cuLaunchKernel") == "driver"
    assert library_of("CUdeviceptr") == "driver"
    for own in ("custom", "current", "CUstomer1"[2:], "accumulate", "ncclient", "nppy"):
        assert library_of(own) is None


def test_declared_names() -> None:
    code = b"struct A {}; using B = int; int f(); X* g() {} #\nconst Q x; struct R r;"
    assert all_declared([tokens(code)]) >= {"A", "B", "f", "g", "x", "r"}
    assert "Q" not in all_declared([tokens(code)])
    assert "R" not in all_declared([tokens(code)])


def test_stand_ins_have_the_members_that_are_asked_of_them() -> None:
    code = tokens(b"cudaFooDesc d, *e; d.a.b = 1; e[2]->c; int n = CUDNN_X; cudaBar();")
    found = stands([code], frozenset(), frozenset(), frozenset())
    assert set(found) == {"cudaFooDesc", "CUDNN_X"}
    assert found["cudaFooDesc"].members == (("a", "b"), ("c",))
    text = stand_text(found["cudaFooDesc"]).text
    assert "CudaUnknown b;" in text
    assert "} a;" in text
    assert "CudaUnknown c;" in text
    covered = frozenset({"CUDNN_X"})
    assert set(stands([code], covered, frozenset(), frozenset())) == {"cudaFooDesc"}
    assert set(stands([code], frozenset(), covered, frozenset())) == {"cudaFooDesc"}


def test_the_lint_knows_what_only_the_other_chip_has(convert: Convert) -> None:
    artifact = convert(PROGRAMS / "host_calls.cu", Target.ASCEND_910B)
    files = {f.path: f.content for f in artifact.files}
    names = {f.name for f in lint_api(files, load_api_table())}
    assert "aclrtMemAllocManaged" in names
