"""Warp operations under masks on Ascend 950, whose functions take none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.backends.ascend_runs import run
from tests.backends.conftest import Convert

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++"),
]

MASKS = """#include <cuda_runtime.h>
#include <cstdio>

__device__ int butterfly(int v, int width, unsigned mask) {
  for (int d = width / 2; d > 0; d /= 2) v += __shfl_xor_sync(mask, v, d, width);
  return v;
}

__global__ void masks(int* out, unsigned low) {
  __shared__ int box[32];
  const int lane = threadIdx.x;
  int r = 0;
  box[lane] = lane;
  __syncwarp();
  r += box[31 - lane];
  // both halves are at one call, each with a mask of its own
  const unsigned half = lane < 16 ? low : ~low;
  r += 100 * butterfly(lane, 16, half);
  r += 100000 * __popc(__ballot_sync(half, lane % 3 == 0));
  r += 1000000 * __any_sync(half, lane == 3);
  r += 2000000 * __all_sync(half, lane != 3);
  if (lane < 8) {
    r += 10000000 * __popc(__ballot_sync(0xffu, 1));
    __syncwarp(0xffu);
  }
  const int key = lane % 5;
  r += __match_any_sync(0xffffffffu, key) == (0x42108421u << key) ? 0 : 1;
  out[lane] = r;
}

int main() {
  int* d;
  int h[32];
  cudaMalloc(&d, sizeof h);
  masks<<<1, 32>>>(d, 0xffffu);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int l = 0; l < 32; ++l) {
    const int first = l / 16 * 16;
    int sum = 0, thirds = 0;
    for (int k = first; k < first + 16; ++k) sum += k, thirds += k % 3 == 0;
    int want = 31 - l + 100 * sum + 100000 * thirds;
    want += first == 0 ? 1000000 : 2000000;
    if (l < 8) want += 80000000;
    // the lanes l, l + 5, l + 10, ... up to 31: a shift drops what lies above
    unsigned same = 0;
    for (int k = l % 5; k < 32; k += 5) same |= 1u << k;
    want += same == (0x42108421u << (l % 5)) ? 0 : 1;
    bad += h[l] != want;
  }
  std::printf("%s %d\\n", bad == 0 ? "PASS" : "FAIL", bad);
  return bad != 0;
}
"""


def test_masks_of_a_part_of_the_warp(convert: Convert, tmp_path: Path) -> None:
    artifact = convert(MASKS)
    assert not artifact.refused, artifact.refused[0].diagnostics
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert done.result.stdout.startswith("PASS"), done.result.stdout + done.result.stderr


REDUCE = """#include <cuda_runtime.h>
__global__ void reduce(int* out, unsigned mask) {
  out[threadIdx.x] = __reduce_add_sync(mask, (int)threadIdx.x);
}
int main() { reduce<<<1, 32>>>(nullptr, 0xffu); }
"""


def test_a_reduction_under_an_unknown_mask_is_refused(convert: Convert) -> None:
    artifact = convert(REDUCE)
    assert [d.code.id for r in artifact.refused for d in r.diagnostics] == ["CM3002"]
