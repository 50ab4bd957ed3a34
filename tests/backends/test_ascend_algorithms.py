"""CUB's and Thrust's algorithms in host code, and their headers where kernels alone use them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from migrate.backends.ascendc.host_algorithms import host_uses, library_header
from migrate.core.cpp_text import tokens
from tests.backends.ascend_runs import run
from tests.backends.conftest import Convert

ALGORITHMS = """#include <cuda_runtime.h>
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/fill.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <cub/cub.cuh>
__global__ void k(int* x) { x[threadIdx.x] = (threadIdx.x * 7) % 32; }
int main() {
  thrust::device_vector<int> v(32), w(32, 1);
  k<<<1, 32>>>(thrust::raw_pointer_cast(v.data()));
  thrust::device_vector<int> keys = v;
  thrust::sequence(w.begin(), w.end());
  thrust::sort_by_key(keys.begin(), keys.end(), w.begin());
  thrust::sort(v.begin(), v.end(), thrust::greater<int>());
  int s = thrust::reduce(v.begin(), v.end()), m = thrust::reduce(v.begin(), v.end(), 0, thrust::maximum<int>());
  thrust::exclusive_scan(v.begin(), v.end(), v.begin());
  int* raw; cudaMalloc(&raw, 128); k<<<1, 32>>>(raw);
  thrust::sort(thrust::device, raw, raw + 32);
  thrust::host_vector<int> h = v; thrust::sort(h.begin(), h.end());
  int back[32]; cudaMemcpy(back, raw, 128, cudaMemcpyDeviceToHost);
  int bad = v[1] != 31 || v[3] != 31 + 30 + 29 || s != 496 || m != 31 || h[31] != v[31] || back[9] != 9 || w[1] != 23;
  float f[5] = {3, -2, 0.5f, -7, 1}, g[5]; float *d, *e; int *p, *q; int ids[5] = {0, 1, 2, 3, 4};
  cudaMalloc(&d, 20); cudaMalloc(&e, 20); cudaMalloc(&p, 20); cudaMalloc(&q, 20);
  cudaMemcpy(d, f, 20, cudaMemcpyHostToDevice); cudaMemcpy(p, ids, 20, cudaMemcpyHostToDevice);
  void* t = nullptr; size_t n = 0;
  cub::DeviceRadixSort::SortPairs(t, n, d, e, p, q, 5); cudaMalloc(&t, n);
  cub::DeviceRadixSort::SortPairs(t, n, d, e, p, q, 5);
  cudaMemcpy(g, e, 20, cudaMemcpyDeviceToHost); cudaMemcpy(ids, q, 20, cudaMemcpyDeviceToHost);
  bad += g[0] != -7 || g[1] != -2 || g[4] != 3 || ids[0] != 3 || ids[4] != 0;
  cub::DeviceReduce::Max(t, n, d, e, 5); cudaMemcpy(g, e, 4, cudaMemcpyDeviceToHost); bad += g[0] != 3;
  cub::DeviceScan::InclusiveSum(t, n, d, e, 5); cudaMemcpy(g, e, 20, cudaMemcpyDeviceToHost); bad += g[1] != 1 || g[4] != -4.5f;
  printf("%s %d\\n", bad ? "FAIL" : "PASS", bad);
  return bad != 0;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_algorithms_of_the_libraries_run_on_copies(convert: Convert, tmp_path: Path) -> None:
    artifact = convert(ALGORITHMS)
    assert [d.code.id for d in artifact.diagnostics] == ["CM4012", "CM4012"]
    assert {f.path.name for f in artifact.files} == {
        "unit.asc",
        "host_cub.h",
        "host_thrust.h",
        "host_device_memory.h",
    }
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert done.result.stdout == "PASS 0\n", done.result.stdout + done.result.stderr


DEVICE_ONLY = """#include <cuda_runtime.h>
#include <cub/cub.cuh>
#include <cooperative_groups/reduce.h>
__global__ void k(int* x) {
  typedef cub::BlockReduce<int, 128> Reduce;
  __shared__ typename Reduce::TempStorage room;
  int sum = Reduce(room).Sum(x[threadIdx.x]);
  if (threadIdx.x == 0) x[0] = sum;
}
int main() { k<<<1, 128>>>(nullptr); }
"""


def test_headers_for_kernels_alone_leave_nothing(convert: Convert) -> None:
    artifact = convert(DEVICE_ONLY)
    assert artifact.diagnostics == ()
    (file,) = artifact.files
    assert b"cub/" not in file.content
    assert b"host_" not in file.content
    assert b"CM4003" not in file.content


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        (b"thrust::sort(a, b);", {"thrust"}),
        (b"using namespace cub;", {"cub"}),
        (b"cub::DeviceScan::ExclusiveSum(t, n, a, b, 5);", {"cub"}),
        (b"cub::CachingDeviceAllocator g;", {"cub"}),
        (b"cuDoubleComplex z = make_cuDoubleComplex(1, 0);", {"cuComplex"}),
        (b'const char* s = "thrust::sort"; // thrust::sort', set[str]()),
        (b"int cube = 1;", set[str]()),
    ],
)
def test_what_host_code_uses(text: bytes, uses: set[str]) -> None:
    assert host_uses(tokens(text)) == uses


def test_a_header_stays_unknown_where_the_host_needs_what_is_missing() -> None:
    assert library_header("cuComplex.h", frozenset({"cuComplex"})) is None
    assert library_header("cuComplex.h", frozenset()) == ""
    assert library_header("thrust/sort.h", frozenset({"thrust"})) == "host_thrust.h"
    assert library_header("thrusters/sort.h", frozenset()) is None


BLAS = """#include <cuda_runtime.h>
#include <cublas_v2.h>
#include <cstdio>
__global__ void k(float* x) { x[threadIdx.x] = threadIdx.x; }
int main() {
  float *a, *c, *one, two = 2, none = 0, r[4], h[16];
  cudaMalloc(&a, 128);
  cudaMalloc(&c, 64);
  cudaMalloc(&one, 4);
  cudaMemset(c, 0xff, 64);  // no numbers, which a factor of 0 does not bring in
  k<<<1, 32>>>(a);
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 2;
  cublasSscal(handle, 32, &two, a, 1);
  cublasSaxpy(handle, 8, &two, a, 2, a + 16, 1);
  cublasSdot(handle, 16, a, 1, a + 16, 1, &r[0]);
  cublasSasum(handle, 4, a, 1, &r[1]);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 3, 4, &two, a, 2, a + 16, 4, &none, c, 5);
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  cublasSnrm2(handle, 3, a, 1, one);
  cudaMemcpy(&r[2], one, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(h, c, 56, cudaMemcpyDeviceToHost);
  float x[32], sum = 0, best[2][3];
  for (int i = 0; i < 32; ++i) x[i] = 2.0f * i;
  for (int i = 0; i < 8; ++i) x[16 + i] += 2 * x[2 * i];
  for (int i = 0; i < 16; ++i) sum += x[i] * x[16 + i];
  int bad = r[0] != sum || r[1] != 12 || r[2] < 4.4721f || r[2] > 4.4722f;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      best[i][j] = 0;
      for (int p = 0; p < 4; ++p) best[i][j] += x[p * 2 + i] * x[16 + p * 4 + j];
      bad += h[j * 5 + i] != 2 * best[i][j];
    }
  }
  bad += h[2] == h[2];  // between the columns nothing is written
  cublasDestroy(handle);
  std::printf("%s %d\\n", bad == 0 ? "PASS" : "FAIL", bad);
  return bad != 0;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_products_and_sums_of_vectors(convert: Convert, tmp_path: Path) -> None:
    artifact = convert(BLAS)
    assert "CM4003" not in {d.code.id for d in artifact.diagnostics}
    assert [d.code.id for d in artifact.diagnostics].count("CM4012") == 1
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert done.result.stdout == "PASS 0\n", done.result.stdout + done.result.stderr


def test_a_call_that_is_not_there_stays_a_stub(convert: Convert) -> None:
    artifact = convert(BLAS.replace("cublasSasum(handle, 4,", "cublasIsamax(handle, 4,"))
    causes = [d.cause for d in artifact.diagnostics if d.code.id == "CM4003"]
    assert [c.partition(" ")[0] for c in causes] == ["cublasIsamax"]
