"""Reported failures of other migration tools and of Ascend back ends: what becomes of each here.

Each test names the report that it stands for (repository and number). The first group is about host
code and builds, the second about what device code asks of the chip. The inputs are our own.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from pathlib import PurePosixPath as Place

import pytest

from migrate.backends.ascendc.build_files.tree import BuildFile, migrate_build_files
from migrate.backends.ascendc.build_files.world import Chip
from migrate.core.artifact import Artifact
from migrate.core.diagnostics import UserError
from migrate.core.options import Options
from migrate.core.targets import Target, resolve_target
from migrate.verify.ascend_program import build_options, stage_sources
from tests.backends.ascend_runs import run, written
from tests.backends.conftest import Convert

CHIPS = (Target.ASCEND_950, Target.ASCEND_910B)
SIMT = Chip("dav-3510", simt=True)


def text_of(artifact: Artifact, name: str = "unit.asc") -> str:
    (file,) = (f for f in artifact.files if f.path.name == name)
    return file.content.decode()


def built(name: str, text: str, *renamed: str) -> tuple[str, list[str]]:
    """A migrated build file and the codes of its findings; ``renamed`` are converted sources."""
    inputs = (BuildFile(Place(name), name, text.encode()),)
    result = migrate_build_files(
        inputs, {Place(r): Place(r).with_suffix(".asc") for r in renamed}, SIMT
    )
    new = result.files[0].content.decode() if result.files else text
    return new, [d.code.id for d in result.diagnostics]


# --- host code ------------------------------------------------------------------------------

HOST = """#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#define CHECK(call) do {{ cudaError_t e = (call); if (e != cudaSuccess) {{ \\
    std::printf("%s\\n", cudaGetErrorString(e)); std::exit(1); }} }} while (0)
__global__ void k(float* x) {{
  extern __shared__ float s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x ^ 1];
}}
int main() {{
  float* d;
  {body}
}}
"""


@pytest.mark.parametrize("chip", CHIPS)
def test_more_dynamic_shared_memory_needs_no_leave(convert: Convert, chip: Target) -> None:
    """oneapi-src/SYCLomatic 1600: the call was removed from its macro, and then launches failed."""
    body = (
        "CHECK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 90000));\n"
        "  k<<<1, 32, 90000>>>(d);"
    )
    text = text_of(convert(HOST.format(body=body), chip))
    assert "CHECK(ACL_SUCCESS);" in text
    assert "launch_k(1, 32, 90000, nullptr, d);" in text


@pytest.mark.parametrize("chip", CHIPS)
def test_an_attribute_is_asked_for_inside_of_a_check(convert: Convert, chip: Target) -> None:
    """oneapi-src/SYCLomatic 404: a query inside an error-check macro was not migrated."""
    body = (
        "int n = 0;\n"
        "  CHECK(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0));\n"
        "  k<<<n, 32, 128>>>(d);"
    )
    artifact = convert(HOST.format(body=body), chip)
    text = text_of(artifact)
    assert [d for d in artifact.diagnostics if d.code.id == "CM4003"] == []
    assert "cudaDev" not in text.partition("int main()")[2]
    assert "CHECK(deviceAttribute(&n, " in text


@pytest.mark.parametrize("chip", CHIPS)
def test_streams_in_two_dimensions(convert: Convert, chip: Target) -> None:
    """oneapi-src/SYCLomatic pull 12: an array of arrays of streams ended the tool."""
    body = (
        "cudaStream_t s[2][3];\n"
        "  for (int i = 0; i < 6; ++i) cudaStreamCreate(&s[i / 3][i % 3]);\n"
        "  k<<<1, 32, 128, s[1][2]>>>(d);\n"
        "  cudaStreamDestroy(s[1][2]);"
    )
    text = text_of(convert(HOST.format(body=body), chip))
    assert "aclrtStream s[2][3];" in text
    assert "aclrtCreateStream(&s[i / 3][i % 3]);" in text
    assert "launch_k(1, 32, 128, s[1][2], d);" in text
    assert "aclrtDestroyStream(s[1][2]);" in text


SHARED_HEADER = """#pragma once
#include <cuda_runtime.h>
inline void fill(cudaArray_t a) { cudaArrayGetInfo(nullptr, nullptr, nullptr, a); }
__global__ void both(int* x) { x[threadIdx.x] = 1; }
"""


def test_what_two_files_include_counts_once(convert: Convert, tmp_path: Path) -> None:
    """ROCm/HIPIFY pull 527: figures of the files did not sum up to those of the run."""
    (tmp_path / "shared.cuh").write_text(SHARED_HEADER)
    main = '#include "shared.cuh"\nint main() { both<<<1, 32>>>(nullptr); fill(nullptr); }\n'
    artifact = convert(main)
    assert [k.name for k in artifact.kernels] == ["both"]
    places = [(d.span.file, d.span.start) for d in artifact.diagnostics if d.code.id == "CM4003"]
    assert len(places) == len(set(places)) > 0
    assert {Path(file).name for file, _ in places} == {"shared.cuh"}


def test_a_kernel_that_cannot_be_read_is_no_success(convert: Convert) -> None:
    """ROCm/hip 199: 100 % were reported for files that had not changed."""
    artifact = convert(
        "#include <cuda_runtime.h>\n"
        "__global__ void k(Unknown* x) { x->go(threadIdx.x); }\n"
        "int main() { k<<<1, 32>>>(nullptr); }\n"
    )
    assert artifact.kernels == ()
    (refused,) = artifact.refused
    assert refused.name == "k"
    assert "std::abort();" in text_of(artifact)


# --- build files ----------------------------------------------------------------------------


def test_flags_that_only_nvcc_knows_leave_an_extension() -> None:
    """ROCm/hip 3764: nvcc's own flags reached the other compiler."""
    flags = '"-O3", "--expt-relaxed-constexpr", "--ptxas-options=-v", "-gencode=arch=compute_80,code=sm_80"'
    new, found = built(
        "setup.py",
        "from torch.utils.cpp_extension import CUDAExtension\n"
        f'e = CUDAExtension("x", ["b.cu"], extra_compile_args={{"nvcc": [{flags}]}})\n',
        "b.cu",
    )
    compile(new, "setup.py", "exec")
    assert found == []
    assert 'AscendExtension("x", ["b.asc"], extra_compile_args={"asc": ["-O3", ]})' in new


@pytest.mark.parametrize(
    "body",
    [
        "project(p CXX CUDA)\n",
        "project(p CXX)\nif(WITH_GPU)\n  enable_language(CUDA)\nendif()\n",
        "project(\n  p\n  LANGUAGES\n    CXX\n    CUDA # the device\n)\n",
        "project(p CXX)\nfunction(gpu)\n  enable_language( CUDA )\nendfunction()\n",
    ],
)
def test_the_language_is_found_wherever_it_is_named(body: str) -> None:
    """oneapi-src/SYCLomatic pull 2006: CMake's language stayed in some places."""
    new, found = built("CMakeLists.txt", body + "add_executable(a k.cu)\n", "k.cu")
    assert found == []
    code = "\n".join(line.partition("#")[0] for line in new.splitlines())
    assert "CUDA" not in code
    assert "ASC" in code
    assert "add_executable(a k.asc)" in code


def test_variables_for_compiler_and_chip_get_values_of_their_own() -> None:
    """ORNL/HeCBench 81: nothing was built where a default of such a variable was wrong."""
    new, found = built(
        "Makefile",
        "CC = nvcc\nARCH ?= sm_60\nCFLAGS := -O3 -arch=$(ARCH) -Xcompiler -Wall\n"
        "main: main.cu\n\t$(CC) $(CFLAGS) $< -o $@\n",
        "main.cu",
    )
    assert found == []
    assert "CC = bisheng $(ASC_FLAGS)\n" in new
    assert "CFLAGS := -O3 -Wall\n" in new
    assert "ASC_FLAGS ?= --npu-arch=dav-3510 --enable-simt\n" in new
    assert "main: main.asc\n" in new


# --- what the chip is asked for -------------------------------------------------------------


def test_a_block_that_fills_the_buffer_is_refused_with_its_size(convert: Convert) -> None:
    """tile-ai/tilelang-ascend 1646: the planner died instead of saying that UB is full."""
    artifact = convert(
        "#include <cuda_runtime.h>\n"
        "__global__ void k(float* x, float p) {\n"
        "  __shared__ float s[50000];\n"
        "  for (int i = threadIdx.x; i < 50000; i += blockDim.x) s[i] = powf(x[i], p);\n"
        "  __syncthreads();\n"
        "  x[threadIdx.x] = s[49999 - threadIdx.x];\n"
        "}\n"
        "int main() { k<<<1, 256>>>(nullptr, 2.0f); }\n",
        Target.ASCEND_910B,
    )
    (refused,) = artifact.refused
    codes = {d.code.id for d in refused.diagnostics}
    assert "CM4007" in codes


@pytest.mark.parametrize("chip", ["ascend310p", "310P3"])
def test_another_chip_is_refused_by_name(chip: str) -> None:
    """tile-ai/tilelang-ascend 587: registration of kernels failed on a chip that nobody knew."""
    with pytest.raises(UserError) as fault:
        resolve_target("ascend", chip)
    assert fault.value.diagnostic.code.id == "CM0005"
    assert chip in fault.value.diagnostic.cause


RANGES = """#include <cuda_runtime.h>
#include <cmath>
__global__ void k(float* x, int n, float step) {
  int most = (int)ceilf(n / step);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < most) x[i] = i * step;
}
int main() {
  float* d = nullptr;
  int n = 1000;
  k<<<(int)std::ceil(n / 0.1 / 256.0), 256>>>(d, n, 0.1f);
}
"""


@pytest.mark.parametrize("chip", CHIPS)
def test_each_side_counts_in_its_own_precision(convert: Convert, chip: Target) -> None:
    """ollama/ollama 5872: a count was done in double here and in float there."""
    artifact = convert(RANGES, chip)
    assert not artifact.refused
    text = text_of(artifact)
    assert "launch_k((int)std::ceil(n / 0.1 / 256.0), 256, 0, nullptr, d, n, 0.1f);" in text
    if chip is Target.ASCEND_950:
        assert "ceilf(n / step)" in text


def test_a_library_of_kernels_is_told_by_its_header(convert: Convert) -> None:
    """flashinfer-ai/flashinfer 2474: a whole library was asked for."""
    artifact = convert(
        "#include <cuda_runtime.h>\n#include <flashinfer/norm.cuh>\n"
        "__global__ void k(float* x) { x[threadIdx.x] = flashinfer::norm(x[0]); }\n"
        "int main() { k<<<1, 32>>>(nullptr); }\n"
    )
    assert artifact.kernels == ()
    assert [r.name for r in artifact.refused] == ["k"]


NUMBERS = """#include <cuda_runtime.h>
#include <cstdio>

// tilelang-ascend 949: the load of the next part goes on while this one is used.
__global__ void staged(const float* a, float* out, int parts) {
  __shared__ float s[2][32];
  int t = threadIdx.x;
  s[0][t] = a[t];
  float sum = 0;
  for (int p = 0; p < parts; ++p) {
    __syncthreads();
    if (p + 1 < parts) s[(p + 1) & 1][t] = a[(p + 1) * 32 + t];
    sum = sum * 0.5f + s[p & 1][31 - t];
  }
  out[t] = sum;
}
// tilelang-ascend 1023: atomic additions of a block's sums to memory of all.
__global__ void counted(const int* key, float* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sum[key[i] % 5], 1.0f);
}
// tilelang-ascend 1183: rows whose length is no multiple of what the copy unit moves.
__global__ void rows(const float* a, float* out, int width) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < width) out[blockIdx.y * width + c] = a[blockIdx.y * width + c] + 1.0f;
}
// triton-ascend 333: each step gathers from where the step before wrote.
__global__ void chained(int* next, int* at) {
  int i = threadIdx.x, p = i;
  for (int k = 0; k < 4; ++k) {
    p = next[i * 8 + p % 8];
    next[i * 8 + p % 8] = p + k + 1;
  }
  at[i] = p;
}
// sgl-kernel-npu 477, vllm-ascend 10138: two long axes, more blocks together than a launch takes.
__global__ void wide(unsigned* out) {
  if (threadIdx.x == 0) out[blockIdx.y * gridDim.x + blockIdx.x] = blockIdx.x * 3 + blockIdx.y;
}
// llama.cpp 10512: a product of 8-bit numbers with scales, one operand permuted.
__global__ void quantised(const signed char* a, const signed char* bt, const float* sb, float* c,
                          int n, int k) {
  int col = threadIdx.x, row = blockIdx.x, sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * bt[p * n + (col ^ 1)];
  c[row * n + col] = sum * sb[col];
}

int main() {
  int bad = 0;
  float *f, *g, h[352], r[352];
  int *x, *y, hx[512], hy[64];
  cudaMalloc(&f, sizeof(h));
  cudaMalloc(&g, sizeof(h));
  cudaMalloc(&x, sizeof(hx));
  cudaMalloc(&y, sizeof(hy));
  for (int i = 0; i < 352; ++i) h[i] = (float)(i % 17);
  cudaMemcpy(f, h, sizeof(h), cudaMemcpyHostToDevice);

  staged<<<1, 32>>>(f, g, 11);
  cudaMemcpy(r, g, 128, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 32; ++t) {
    float sum = 0;
    for (int p = 0; p < 11; ++p) sum = sum * 0.5f + h[p * 32 + 31 - t];
    bad += r[t] != sum;
  }
  for (int i = 0; i < 512; ++i) hx[i] = i * 7 % 8;
  cudaMemcpy(x, hx, sizeof(hx), cudaMemcpyHostToDevice);
  cudaMemset(g, 0, 20);
  counted<<<8, 64>>>(x, g, 500);
  cudaMemcpy(r, g, 20, cudaMemcpyDeviceToHost);
  float want[5] = {};
  for (int i = 0; i < 500; ++i) want[hx[i] % 5] += 1.0f;
  for (int k = 0; k < 5; ++k) bad += r[k] != want[k];

  rows<<<dim3(1, 5), 64>>>(f, g, 37);
  rows<<<0, 64>>>(f, g, 37);  // triton-ascend 984: after a launch comes one without blocks
  cudaGetLastError();
  cudaMemcpy(r, g, 5 * 37 * 4, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 5 * 37; ++i) bad += r[i] != h[i] + 1.0f;

  chained<<<1, 64>>>(x, y);
  cudaMemcpy(hy, y, sizeof(hy), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; ++i) {
    int p = i;
    for (int k = 0; k < 4; ++k) {
      p = hx[i * 8 + p % 8];
      hx[i * 8 + p % 8] = p + k + 1;
    }
    bad += hy[i] != p;
  }
  const int gx = 300, gy = 250;
  unsigned *w, *hw = new unsigned[gx * gy];
  cudaMalloc(&w, gx * gy * 4);
  wide<<<dim3(gx, gy), 1>>>(w);
  cudaMemcpy(hw, w, gx * gy * 4, cudaMemcpyDeviceToHost);
  for (int i = 0; i < gx * gy; ++i) bad += hw[i] != (i % gx) * 3u + i / gx;

  signed char q[256], *dq;
  for (int i = 0; i < 256; ++i) q[i] = (signed char)(i * 37);
  cudaMalloc(&dq, 256);
  cudaMemcpy(dq, q, 256, cudaMemcpyHostToDevice);
  quantised<<<4, 16>>>(dq, dq, f, g, 16, 16);
  cudaMemcpy(r, g, 256, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; ++i) {
    int sum = 0;
    for (int p = 0; p < 16; ++p) sum += q[i / 16 * 16 + p] * q[p * 16 + (i % 16 ^ 1)];
    bad += r[i] != sum * h[i % 16];
  }
  std::printf("%s %d\\n", bad == 0 ? "PASS" : "FAIL", bad);
  return bad != 0;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("chip", CHIPS)
def test_numbers_of_kernels_that_went_wrong_elsewhere(
    convert: Convert, tmp_path: Path, chip: Target
) -> None:
    """The reports stand at the kernels."""
    artifact = convert(NUMBERS, chip)
    assert not artifact.refused
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert done.result.stdout.startswith("PASS"), done.result.stdout + done.result.stderr


PERMUTED = """#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
__global__ void k(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
int main() { k<<<1, 32>>>(nullptr, nullptr, nullptr); }
"""


@pytest.mark.parametrize("chip", CHIPS)
def test_products_of_fragments_are_done_or_named(convert: Convert, chip: Target) -> None:
    """tile-ai/tilelang-ascend 1566: results of the cube unit could not be written everywhere."""
    artifact = convert(PERMUTED, chip)
    if artifact.refused:
        causes = " ".join(d.cause for r in artifact.refused for d in r.diagnostics)
        assert "wmma" in causes or "fragment" in causes or "matrix" in causes
    else:
        assert [k.name for k in artifact.kernels] == ["k"]


def test_kernels_in_a_header_are_compiled_for_their_chip(convert: Convert, tmp_path: Path) -> None:
    """A source without kernels of its own names the entry headers of both chips."""
    (tmp_path / "shared.cuh").write_text(SHARED_HEADER)
    source = '#include "shared.cuh"\nint main() { both<<<1, 32>>>(nullptr); }\n'
    for chip, entry in zip(CHIPS, ("precompiled_simt.h", "kernel_operator.h"), strict=True):
        artifact = convert(source, chip)
        staged = tmp_path / chip.value
        stage_sources(written(artifact, tmp_path / f"out_{chip.value}"), artifact, staged)
        prelude = build_options(artifact, Options(chip), staged).prelude
        assert prelude is not None
        assert prelude.name == entry
