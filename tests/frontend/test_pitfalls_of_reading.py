"""Code on which other migration tools fell: read as it is meant, or refused with a code."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from migrate.core.compile_settings import CompileSettings
from migrate.frontend.program import FrontendOptions, read_unit
from migrate.pipeline.inputs import find_inputs
from migrate.pipeline.nvcc_flags import read_command
from tests.frontend.conftest import Read, codes, kernel_body

READ = {
    "a thread number made of macros": (
        """
        #define BLOCK blockIdx.x
        #define AT (BLOCK * blockDim.x + threadIdx.x)
        __global__ void k(float* x) { x[AT] = 1.0f; }
        """,
        ["x[((blockIdx.x * blockDim.x) + threadIdx.x)] = 1.0"],
    ),
    "a shared array whose declaration is a macro": (
        """
        #define TILE(type, name, n) __shared__ type name[n]
        __global__ void k(float* x) {
          TILE(float, tile, 32);
          tile[threadIdx.x] = x[threadIdx.x];
          __syncthreads();
          x[threadIdx.x] = tile[31 - threadIdx.x];
        }
        """,
        ["shared"],
    ),
    "a pointer cast to half inside a macro": (
        """
        #include <cuda_fp16.h>
        #define AS_HALF(p) (reinterpret_cast<half*>(p))
        __global__ void k(unsigned short* x) { AS_HALF(x)[0] = __float2half(1.0f); }
        """,
        ["f16"],
    ),
    "the head of a device function from a macro": (
        """
        #define DEVICE_FN(type, name) __device__ __forceinline__ type name
        DEVICE_FN(float, twice)(float v) { return 2.0f * v; }
        __global__ void k(float* x) { x[0] = twice(x[1]); }
        """,
        ["twice("],
    ),
    "a square, nothing else": (
        "__global__ void k(float* out, const float* in) {"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = in[i] * in[i]; }",
        ["out[i] = (in[i] * in[i])"],
    ),
    "a template that another file instantiates": (
        """
        template <class T> __host__ __device__ T twice(T v) { return v + v; }
        extern template float twice<float>(float);
        __global__ void k(float* x) { x[0] = twice(x[1]); }
        """,
        ["twice"],
    ),
    "dynamic shared memory in the body, and a second pointer into it": (
        """
        __global__ void k(float* x, int n) {
          extern __shared__ float pool[];
          float* first = pool;
          int* second = (int*)(pool + n);
          first[threadIdx.x] = 1.0f;
          second[threadIdx.x] = 2;
          __syncthreads();
          x[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
        }
        """,
        ["shared"],
    ),
    "a helper for host and device that is given shared memory": (
        """
        __host__ __device__ float sum(const float* p, int n) {
          float s = 0; for (int i = 0; i < n; i++) s += p[i]; return s;
        }
        __global__ void k(float* x) {
          __shared__ float s[32];
          s[threadIdx.x] = x[threadIdx.x];
          __syncthreads();
          x[threadIdx.x] = sum(s, 32);
        }
        float host(const float* p) { return sum(p, 4); }
        """,
        ["sum("],
    ),
    "a barrier for some lanes of a warp": (
        "__global__ void k(int* x) { if (threadIdx.x < 8) { x[threadIdx.x] = 1; __syncwarp(0xff); } }",
        ["barrier warp 255"],
    ),
    "loads with cache hints and other names of half": (
        """
        #include <cuda_fp16.h>
        __global__ void k(float* x, const __nv_half* h) {
          x[0] = __ldcg(x + 1) + __ldcs(x + 2) + __ldlu(x + 3) + __ldcv(x + 4) + __half2float(*h);
        }
        """,
        ["x[4:i32]) + cast<f32>(h[0:i32])"],
    ),
    "a warp sum that starts at 16": (
        """
        __global__ void k(float* x) {
          float v = x[threadIdx.x];
          for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
          if (threadIdx.x % 32 == 0) x[threadIdx.x / 32] = v;
        }
        """,
        ["shfl"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_is_read_as_it_is_meant(read: Read, name: str) -> None:
    text, parts = READ[name]
    unit = read(text)
    body = "\n".join(kernel_body(unit))
    for part in parts:
        assert part in body, body


def test_a_kernel_as_template_parameter_with_forwarded_arguments(read: Read) -> None:
    unit = read(
        """
        #include <utility>
        __global__ void add(float* x, float by) { x[threadIdx.x] += by; }
        template <auto Kernel, class... A> void launch(int n, A&&... a) {
          Kernel<<<1, n>>>(std::forward<A>(a)...);
        }
        void run(float* x) { launch<add>(32, x, 2.0f); }
        """
    )
    assert [k.name for k in unit.module.kernels] == ["add"]
    (site,) = unit.launches
    assert site.kernels == ("add",) or "CM1009" in [d.code.id for d in unit.diagnostics]


def test_warp_matrices_inside_a_function_template(read: Read) -> None:
    unit = read(
        """
        #include <mma.h>
        template <int M> __device__ void step(const half* a, const half* b, float* c) {
          using namespace nvcuda::wmma;
          fragment<matrix_a, M, 16, 16, half, row_major> fa;
          fragment<matrix_b, M, 16, 16, half, col_major> fb;
          fragment<accumulator, M, 16, 16, float> fc;
          fill_fragment(fc, 0.0f);
          load_matrix_sync(fa, a, 16);
          load_matrix_sync(fb, b, 16);
          mma_sync(fc, fa, fb, fc);
          store_matrix_sync(c, fc, 16, mem_row_major);
        }
        __global__ void k(const half* a, const half* b, float* c) { step<16>(a, b, c); }
        """
    )
    assert codes(unit) == [] or codes(unit) == ["CM1202"]


def test_a_texture_reference_is_refused_by_name(read: Read) -> None:
    unit = read(
        """
        texture<float, 1, cudaReadModeElementType> table;
        __global__ void k(float* x) { x[0] = tex1Dfetch(table, 3); }
        __global__ void other(float* x) { x[0] = 1; }
        """
    )
    assert [k.name for k in unit.module.kernels] == ["other"]
    (lost,) = unit.unread
    assert lost.name == "k" and lost.diagnostic.code.id in ("CM1004", "CM1005", "CM1302")


def test_flags_of_another_front_end() -> None:
    flags = "-x cuda --cuda-path=/opt/cuda -std=c++17 -c a.cu"
    command = read_command(shlex.split(flags), Path("/s"))
    assert command.settings == CompileSettings(std="c++17")


def test_two_headers_given_together(tmp_path: Path) -> None:
    for name in ("one", "two"):
        text = f"#pragma once\n__global__ void {name}(int* x) {{ x[0] = 1; }}\n"
        (tmp_path / f"{name}.cuh").write_text(text)
    (program,) = find_inputs((tmp_path / "one.cuh", tmp_path / "two.cuh")).programs
    assert [p.name for p in program.sources] == ["one.cuh", "two.cuh"]


def test_a_header_that_cannot_stand_alone(tmp_path: Path, cache_dir: Path) -> None:
    """Read where it is included, by quotes beside the file and by brackets through ``-I``."""
    (tmp_path / "inc").mkdir()
    (tmp_path / "body.cuh").write_text("__global__ void k(T* x) { x[0] = scale(x[1]); }\n")
    (tmp_path / "inc" / "scale.cuh").write_text("__device__ T scale(T v) { return 2 * v; }\n")
    main = tmp_path / "main.cu"
    main.write_text('using T = float;\n#include <scale.cuh>\n#include "body.cuh"\n')
    folders = (tmp_path / "inc", tmp_path, tmp_path / "inc" / ".." / "inc")
    options = FrontendOptions(include_dirs=folders, cache_dir=cache_dir)
    unit = read_unit(main, tmp_path, options)
    assert [k.name for k in unit.module.kernels] == ["k"] and not unit.unread
    read_once = [h.path.name for h in unit.headers]
    assert sorted(read_once) == ["body.cuh", "scale.cuh"]


def test_folders_of_builds_are_left_alone_at_any_depth(tmp_path: Path) -> None:
    kernel = "__global__ void k(int* x) { x[0] = 1; }\n"
    for folder in ("src", "src/build", "src/deep/node_modules/x"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "k.cu").write_text(kernel)
    (program,) = find_inputs((tmp_path,)).programs
    assert program.sources == (tmp_path / "src" / "k.cu",)
