"""Barriers that not all threads of a block come to, on Ascend 950, whose barrier waits for all."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.backends.ascend_runs import run
from tests.backends.conftest import Convert

MEET = """#include <cuda_runtime.h>
#include <cstdio>

// Threads that have ended are not waited for.
__global__ void early(const int* x, int* y, int n) {
  __shared__ int s[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = x[i];
  __syncthreads();
  const int first = s[0];
  for (int d = 1; d < 8; d *= 2) {
    if (threadIdx.x >= 8) s[threadIdx.x] += d;
    __syncthreads();
  }
  y[i] = s[threadIdx.x] + first;
}

__device__ int peak(int v) {
  __shared__ int most;
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  atomicMax(&most, v);
  __syncthreads();
  return most;
}

// Two groups of threads go side by side, and the first one ends sooner.
__global__ void groups(int* y, int n) {
  __shared__ int s[96], last[96];
  const int t = threadIdx.x;
  if (t < 32) {
    s[t] = t;
    __syncthreads();
    y[t] = s[t] + s[t + 32];
    return;
  }
  s[t] = 100 * t;
  __syncthreads();
  const int other = s[t - 32];
  __syncthreads();
  last[t] = other + n;
  __syncthreads();
  y[t] = last[t == 95 ? 32 : t + 1];
}

// Votes of the threads that are left.
__global__ void votes(int* y, int n) {
  const int t = threadIdx.x;
  y[t] = -1;
  if (t >= n) return;
  int sum = peak(t * 3);
  sum += 1000 * __syncthreads_count(t % 3 == 0);
  const int all = __syncthreads_and(t < n), some = __syncthreads_or(t == n - 1);
  const int none = __syncthreads_or(t == n), not_all = __syncthreads_and(t < n - 1);
  y[t] = sum + 100000 * all + 200000 * some + 400000 * none + 800000 * not_all;
}

// Threads leave a loop one after the other.
__global__ void rounds(int* y, int n) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 5) {
    atomicAdd(&sum, i);
    __syncthreads();
    y[i] = i + sum;
    __syncthreads();
  }
}

int main() {
  int *x, *y, h[192], bad = 0;
  cudaMalloc(&x, sizeof h);
  cudaMalloc(&y, sizeof h);
  for (int i = 0; i < 192; ++i) h[i] = i * i;
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  early<<<3, 64>>>(x, y, 150);
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 150; ++i) {
    const int first = i / 64 * 64;
    bad += h[i] != i * i + first * first + (i % 64 >= 8 ? 7 : 0);
  }
  groups<<<1, 96>>>(y, 5);
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 96; ++t) {
    const int next = t == 95 ? 32 : t + 1;
    const int want = t < 32 ? t + 100 * (t + 32) : (next - 32 < 32 ? next - 32 : 100 * (next - 32)) + 5;
    bad += h[t] != want;
  }
  votes<<<1, 64>>>(y, 40);
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 64; ++t) bad += h[t] != (t < 40 ? 117 + 14000 + 300000 : -1);
  rounds<<<1, 5>>>(y, 23);
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 23; ++i) {
    const int end = i / 5 * 5 + 5 < 23 ? i / 5 * 5 + 5 : 23;
    bad += h[i] != i + end * (end - 1) / 2;
  }
  std::printf("%s %d\\n", bad == 0 ? "PASS" : "FAIL", bad);
  return bad != 0;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_threads_that_ended_are_not_waited_for(convert: Convert, tmp_path: Path) -> None:
    artifact = convert(MEET)
    assert not artifact.refused, artifact.refused[0].diagnostics
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert done.result.stdout.startswith("PASS"), done.result.stdout + done.result.stderr


SIDES = """#include <cuda_runtime.h>
__global__ void sides(int* y, int n) {
  if (threadIdx.x < 32) {
    for (int i = 0; i < n; ++i) __syncthreads();
    y[threadIdx.x] = 1;
  } else {
    __syncthreads();
    y[threadIdx.x] = 2;
  }
}
__global__ void alike(int* y, const int* n) {
  for (int i = 0; i < *n; ++i) {
    if (blockIdx.x == 1) __syncthreads();
    if (i > 3) return;
    y[threadIdx.x] += i;
  }
}
int main() {
  sides<<<1, 64>>>(nullptr, 1);
  alike<<<1, 64>>>(nullptr, nullptr);
}
"""


def test_sides_that_cannot_go_side_by_side_are_refused(convert: Convert) -> None:
    artifact = convert(SIDES)
    (refused,) = artifact.refused
    assert [d.code.id for d in refused.diagnostics] == ["CM3001"]
    assert "line 3" in refused.diagnostics[0].cause


def test_a_kernel_whose_threads_go_alike_keeps_its_text(convert: Convert) -> None:
    artifact = convert(SIDES)
    text = "".join(f.content.decode() for f in artifact.files)
    assert "active" not in text
    assert "return;" in text.partition("alike_block")[2]
