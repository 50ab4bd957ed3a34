"""8-bit floats, and CUDA's ``min`` and ``max`` of host code, on Ascend 950."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from migrate.backends.ascendc.host_extremes import cuda_extremes
from tests.backends.ascend_runs import run
from tests.backends.conftest import Convert

FP8 = """#include <cuda_runtime.h>
#include <cuda_fp8.h>
#include <cstdio>
#include <cstring>

// Each format, with and without saturation, from the bits of floats.
__global__ void pack(const float* x, unsigned char* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[4 * i] = __nv_cvt_float_to_fp8(x[i], __NV_SATFINITE, __NV_E4M3);
  y[4 * i + 1] = __nv_cvt_float_to_fp8(x[i], __NV_NOSAT, __NV_E4M3);
  y[4 * i + 2] = __nv_cvt_float_to_fp8(x[i], __NV_SATFINITE, __NV_E5M2);
  y[4 * i + 3] = __nv_cvt_float_to_fp8(x[i], __NV_NOSAT, __NV_E5M2);
}

int main() {
  static float x[4096];
  static unsigned char y[4 * 4096];
  for (unsigned i = 0; i < 4096; ++i) {
    const unsigned bits = i << 20 | (i % 7 == 0 ? 0 : i % 7 == 1 ? 0x80000 : i * 2654435761u >> 12);
    std::memcpy(&x[i], &bits, sizeof bits);
  }
  float* d;
  unsigned char* e;
  cudaMalloc(&d, sizeof x);
  cudaMalloc(&e, sizeof y);
  cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice);
  pack<<<32, 128>>>(d, e, 4096);
  cudaMemcpy(y, e, sizeof y, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < 4096; ++i) {
    const __nv_fp8_storage_t host = __nv_cvt_float_to_fp8(x[i], __NV_SATFINITE, __NV_E4M3);
    bad += host != y[4 * i];
  }
  // 1.0625 lies between 1 and 1.125 and goes to the even one; 464 is the last that becomes 448
  const struct { float value; int e4m3, e5m2; } known[] = {
    {1.0f, 0x38, 0x3c}, {1.0625f, 0x38, 0x3c}, {1.1875f, 0x3a, 0x3d}, {-448.0f, 0xfe, 0xdf},
    {464.0f, 0x7e, 0x5f}, {1e6f, 0x7e, 0x7b}, {0.001953125f, 0x01, 0x18}, {0.0009765625f, 0x00, 0x14},
  };
  for (const auto& k : known) {
    bad += __nv_cvt_float_to_fp8(k.value, __NV_SATFINITE, __NV_E4M3) != k.e4m3;
    bad += __nv_cvt_float_to_fp8(k.value, __NV_SATFINITE, __NV_E5M2) != k.e5m2;
  }
  // of host code: in the common type, a NaN loses
  bad += min(3, 5u) != 3 || max(-1, 2ll) != 2 || !(max(0.0f, x[2044]) == 0.0f && min(1, 0.5) == 0.5);
  std::printf("%s %d\\n", bad == 0 ? "PASS" : "FAIL", bad);
  return bad != 0;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_conversions_on_the_device_and_the_host(convert: Convert, tmp_path: Path) -> None:
    artifact = convert(FP8)
    assert not artifact.refused, artifact.refused[0].diagnostics
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert done.result.stdout.startswith("PASS"), done.result.stdout + done.result.stderr


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (b"int a = min(1, 2);", {"min", "max"}),
        (b"int f() { return min(1, 2); }", {"min", "max"}),
        (b"bool b = a && max(1, 2) > min(1, 2);", {"min", "max"}),
        (b"using namespace std;", set()),
        (b"template <class T> const T& max(const T& a, const T& b);", {"min"}),
        (b"using std::max;", {"min"}),
        (b"#define min(a, b) ((a) < (b) ? (a) : (b))", {"max"}),
        (b"static inline int max(int a, int b) { return a < b ? b : a; }", {"min"}),
    ],
)
def test_a_program_that_has_its_own_keeps_it(text: bytes, left: set[str]) -> None:
    assert cuda_extremes((text,)) == left
