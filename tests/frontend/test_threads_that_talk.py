"""Threads that speak to one another: kept volatile accesses and grid barriers, read and refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.ir.parser import parse_module
from migrate.ir.printer import print_module
from migrate.ir.program import SourceUnit
from migrate.ir.simt import Barrier
from migrate.ir.volatile_access import volatile_use
from migrate.ir.walk import walk_stmts
from migrate.lifting.lift import lift
from migrate.pipeline.inputs import InputProgram
from migrate.pipeline.round_trip import round_trip
from tests.frontend.conftest import Read, needs_gxx

KEPT = [
    ("volatile float* p = a; while (p[0] == 0) {} a[1] = 2;", ""),
    ("volatile float* p = a; for (;;) { if (p[n] > 2) break; }", ""),
    ("volatile float* p = a; p[n] = 1; a[1] = p[n + 1];", ""),
    ("__shared__ volatile float s[64]; s[n] = s[n + 16];", ""),
    ("__shared__ float s[64]; step(s, n); step(s, n); a[0] = s[0];",
     "__device__ void step(volatile float* s, int t) { s[t] += s[t + 16]; s[t] += s[t + 8]; }"),
]  # fmt: skip
PLAIN = [
    "volatile float* p = a; p[0] = 1;",
    "volatile float* p = a; for (int i = 0; i < n; i++) a[9] += p[i];",
    "__shared__ volatile float s[64]; s[n] = 1; __syncthreads(); a[0] = s[n + 1];",
]


def _bodies(unit: SourceUnit) -> list[bool]:
    bodies = [f.body for f in unit.module.functions] + [k.body for k in unit.module.kernels]
    return [volatile_use(body) is not None for body in bodies]


@pytest.mark.parametrize(("text", "head"), KEPT)
def test_kept_accesses_are_refused_by_every_target(read: Read, text: str, head: str) -> None:
    unit = read(f"{head}\n__global__ void k(float* a, int n) {{\n{text}\n}}\n")
    assert not unit.unread
    assert any(_bodies(unit))
    assert parse_module(print_module(unit.module)) == unit.module
    (kernel,) = unit.module.kernels
    for target in Target:
        found = lift(kernel, unit.module, target, Options(target=target))
        assert [d.code.id for d in found.diagnostics] == ["CM1301"]


@pytest.mark.parametrize("text", PLAIN)
def test_other_volatile_accesses_are_plain(read: Read, text: str) -> None:
    unit = read(f"__global__ void k(float* a, int n) {{\n{text}\n}}\n")
    assert not unit.unread
    assert not any(_bodies(unit))


def test_a_barrier_over_the_grid(read: Read) -> None:
    unit = read(
        "#include <cooperative_groups.h>\n"
        "__global__ void k(float* a) { auto g = cooperative_groups::this_grid();\n"
        "  a[g.thread_rank()] = 1; g.sync(); a[0] = a[1]; }\n"
        "__global__ void block(float* a) {\n"
        "  a[threadIdx.x] = 1; cooperative_groups::this_thread_block().sync(); a[0] = a[1]; }\n"
    )
    assert not unit.unread
    scopes = [
        [s.scope for s in walk_stmts(k.body) if isinstance(s, Barrier)] for k in unit.module.kernels
    ]
    assert scopes == [["grid"], ["block"]]
    for target in Target:
        codes = [
            [d.code.id for d in lift(k, unit.module, target, Options(target=target)).diagnostics]
            for k in unit.module.kernels
        ]
        assert codes[0] == ["CM4010"]
        assert "CM4010" not in codes[1]


@needs_gxx
@pytest.mark.slow
def test_round_trip(tmp_path: Path) -> None:
    """Lock-step sums with kept accesses, a barrier over the grid, FP8's enumerations."""
    folder = tmp_path / "source"
    folder.mkdir()
    main = folder / "main.cu"
    main.write_text(
        "#include <cstdio>\n#include <cooperative_groups.h>\n#include <cuda_fp8.h>\n"
        "__global__ void flip(float* a, float* b) {\n"
        "  int i = blockIdx.x * 32 + threadIdx.x; a[i] = i;\n"
        "  cooperative_groups::this_grid().sync(); b[i] = a[63 - i]; }\n"
        "__global__ void seen(volatile float* p, float* out) {\n"
        "  int i = threadIdx.x; p[i] = i; out[i] = p[i] + 1; }\n"
        "__global__ void pack(const float* a, unsigned char* c) { int i = threadIdx.x;\n"
        "  c[i] = __nv_cvt_float_to_fp8(a[i], __NV_SATFINITE, __NV_E4M3); }\n"
        "int main() {\n"
        "  float *a, *b; unsigned char* c; cudaMalloc(&a, 256); cudaMalloc(&b, 256);\n"
        "  cudaMalloc(&c, 64); void* args[] = {&a, &b};\n"
        "  cudaLaunchCooperativeKernel((void*)flip, dim3(2), dim3(32), args, 0, 0);\n"
        "  float h[64]; cudaMemcpy(h, b, 256, cudaMemcpyDeviceToHost);\n"
        "  bool good = h[0] == 63 && h[63] == 0;\n"
        "  pack<<<1, 64>>>(b, c); seen<<<1, 32>>>(b, a);\n"
        "  cudaMemcpy(h, a, 256, cudaMemcpyDeviceToHost);\n"
        '  puts(good && h[31] == 32 ? "PASS" : "FAIL");\n'
        "}\n"
    )
    options = Options(target=Target.TILELANG, cache_dir=tmp_path / "cache")
    found = round_trip(InputProgram("main", folder, (main,)), options, tmp_path / "work")
    assert (found.before, found.after, found.kernels) == ("pass", "pass", 3)
    assert found.holds
    assert found.launches == found.equal == 3
