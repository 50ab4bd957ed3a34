"""Programs of several files, and the cache of compiled objects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from migrate.core.options import Limits
from migrate.emulation.cuda_program import CudaSources, RunSetup, build_cuda_program, run_program
from migrate.emulation.toolchain import CompileError, Compiler, find_compiler
from tests.emulation.cuda_builds import CACHE

_FILES = {
    "include/shared.cuh": """#pragma once
__constant__ int factor = 2;
__device__ int twice(int v) { return factor * v; }
namespace { __device__ int hidden = 1; }
void first(int *out);
void second(int *out);
""",
    "src/first.cu": """#include "shared.cuh"
__global__ void one(int *out) { out[0] = twice(10) + hidden; }
void first(int *out) { one<<<1, 1>>>(out); }
""",
    "src/second.cu": """#include "shared.cuh"
#define THREE 3
#include "part.cu"
__global__ void two(int *out) { out[1] = twice(20); }
void second(int *out) {
  int value = three();
  cudaMemcpyToSymbol(factor, &value, sizeof value);
  two<<<1, 1>>>(out);
}
""",
    "src/main.cpp": """#include <cstdio>
#include <cuda_runtime.h>
#include "shared.cuh"
extern "C" int plus(int a, int b);
int main() {
  int *out, host[2];
  cudaMalloc(&out, 8);
  first(out);
  second(out);
  cudaMemcpy(host, out, 8, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d\\n", host[0], host[1], plus(1, 2), VALUE);
}
""",
    "src/part.cu": "int three() { return THREE; }  // no unit of its own\n",
    "src/plain.c": "int plus(int class, int new) { return class + new; }\n",
}


def _program(folder: Path) -> CudaSources:
    for name, text in _FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    names = ("first.cu", "second.cu", "part.cu", "main.cpp", "plain.c")
    sources = tuple(folder / "src" / name for name in names)
    return CudaSources(sources, include_dirs=(folder / "include",), defines=("VALUE=7",))


def _without_compiling(folder: Path) -> Compiler:
    """The compiler, which only preprocesses and links."""
    compiler = find_compiler()
    script = folder / "only_links"
    script.write_text(
        f'#!/bin/sh\nfor word; do [ "$word" = -c ] && exit 1; done\nexec {compiler.program} "$@"\n'
    )
    script.chmod(0o755)
    return replace(compiler, program=str(script))


def test_several_files_with_a_common_header(tmp_path: Path) -> None:
    program = _program(tmp_path / "a")
    built = build_cuda_program(program, tmp_path / "work", find_compiler(), CACHE)
    result = run_program(built, RunSetup(limits=Limits(seconds=20)))
    assert result.stdout == "21 60 3 7\n"
    only_links = _without_compiling(tmp_path)
    moved = _program(tmp_path / "b")  # the same text elsewhere needs no compiler
    again = build_cuda_program(moved, tmp_path / "again", only_links, CACHE)
    assert run_program(again).stdout == result.stdout
    (tmp_path / "b" / "src" / "plain.c").write_text("int never_compiled;")
    with pytest.raises(CompileError):
        build_cuda_program(moved, tmp_path / "changed", only_links, CACHE)


def test_a_changed_header_is_compiled_again(tmp_path: Path) -> None:
    program = _program(tmp_path / "a")
    header = tmp_path / "a" / "include" / "shared.cuh"
    header.write_text(header.read_text().replace("factor * v", "factor * v + 1"))
    built = build_cuda_program(program, tmp_path / "work", find_compiler(), CACHE)
    assert run_program(built).stdout == "22 61 3 7\n"


_HOST_FILES = {
    "main.cu": """#include <cstdio>
#include <omp.h>
unsigned umin(unsigned a, unsigned b);  // a function of CUDA's, which host files may define again
int threads();
__global__ void one(unsigned *out) { out[0] = min(3u, 7u); }
int main() {
  unsigned *out, host;
  cudaMalloc(&out, 4);
  one<<<1, 1>>>(out);
  cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost);
  std::printf("%u %d %d\\n", host, threads(), omp_get_max_threads() > 0);
}
""",
    "host.cpp": """static inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
struct float4 { int own; };
#ifdef __CUDACC__
#error a file of the host is not compiled as CUDA
#endif
int threads() {
  int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
  n += 1;
  return n + int(umin(0, 1));
}
""",
}


def test_host_files_are_compiled_without_cuda_and_with_openmp(tmp_path: Path) -> None:
    for name, text in _HOST_FILES.items():
        (tmp_path / name).write_text(text)
    sources = CudaSources(tuple(tmp_path / name for name in _HOST_FILES))
    built = build_cuda_program(sources, tmp_path / "work", find_compiler(), CACHE)
    result = run_program(built, RunSetup(limits=Limits(seconds=20.0)))
    assert result.stdout.split() == ["3", "2", "1"], result.stderr
