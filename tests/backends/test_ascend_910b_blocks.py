"""Kernels whose threads work together, on the scalar unit of Ascend 910B."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from migrate.core.rung import Rung
from migrate.core.targets import Target
from tests.backends.ascend_runs import run
from tests.backends.conftest import Convert

needs_gxx = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")

# Dynamic and static shared memory, a shared scalar, an array of each thread across a barrier,
# an early return of whole blocks, shared and global atomics, an assertion, three axes.
# Pairs of halves, in host code as well; a parameter that is called like its kernel.
TOGETHER = r"""#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cassert>
#include <cstdio>
#include <vector>

__global__ void pairs(const __half2* x, __half2* pairs) {
  __shared__ __half2 s[32];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  pairs[threadIdx.x] = __hadd2(s[31 - threadIdx.x], x[threadIdx.x]);
}

__global__ void together(int* out, unsigned* total, int n) {
  extern __shared__ int wide[];
  __shared__ int most;
  const int t = threadIdx.x + blockDim.x * threadIdx.y;
  const int all = blockDim.x * blockDim.y;
  if ((int)blockIdx.x >= n) return;
  if (t == 0) most = 0;
  int kept[3];
  for (int k = 0; k < 3; ++k) kept[k] = t * (k + 1) + blockIdx.x;
  wide[t] = t;
  __syncthreads();
  atomicMax(&most, kept[2]);
  for (int d = all / 2; d > 0; d /= 2) {
    if (t < d) wide[t] += wide[t + d];
    __syncthreads();
  }
  assert(most >= kept[2]);
  if (t == 0) atomicAdd(total, (unsigned)wide[0]);
  out[blockIdx.x * all + t] = wide[0] + most * 1000 + kept[1];
}

int main() {
  const int blocks = 50, asked = 45;
  const dim3 block(8, 4);
  int* out;
  unsigned* total;
  cudaMalloc(&out, blocks * 32 * sizeof(int));
  cudaMalloc(&total, sizeof(unsigned));
  cudaMemset(out, 0, blocks * 32 * sizeof(int));
  cudaMemset(total, 0, sizeof(unsigned));
  together<<<blocks, block, 32 * sizeof(int)>>>(out, total, asked);
  std::vector<int> h(blocks * 32);
  unsigned sum;
  cudaMemcpy(h.data(), out, h.size() * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost);
  int bad = sum != 45u * 496u;
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < 32; ++t) {
      const int want = b < asked ? 496 + (31 * 3 + b) * 1000 + t * 2 + b : 0;
      bad += h[b * 32 + t] != want;
    }
  std::vector<__half> two(64);
  for (int i = 0; i < 64; ++i) two[i] = __float2half((float)(i * i % 50));
  __half2* d;
  cudaMalloc(&d, 64 * sizeof(__half2));
  cudaMemcpy(d, two.data(), 32 * sizeof(__half2), cudaMemcpyHostToDevice);
  pairs<<<1, 32>>>(d, d + 32);
  std::vector<__half> added(64);
  cudaMemcpy(added.data(), d + 32, 32 * sizeof(__half2), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; ++i) {
    const int other = 62 - i / 2 * 2 + i % 2;
    const float want = (float)(i * i % 50 + other * other % 50);
    bad += __half2float(added[i]) != want;
  }
  std::printf("%s %d\n", bad == 0 ? "PASS" : "FAIL", bad);
  return bad != 0;
}
"""


@needs_gxx
@pytest.mark.slow
def test_a_block_keeps_its_values_in_the_unified_buffer(convert: Convert, tmp_path: Path) -> None:
    artifact = convert(TOGETHER, Target.ASCEND_910B)
    assert not artifact.refused, artifact.refused[0].diagnostics
    assert [k.name for k in artifact.kernels] == ["pairs", "together"]
    for kernel in artifact.kernels:
        assert kernel.rung is Rung.SCALAR
        assert "CM3021" in [d.code.id for d in kernel.diagnostics]
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert done.result.stdout == "PASS 0\n", done.result.stdout + done.result.stderr


def kernel_text(convert: Convert, body: str) -> str:
    source = (
        "#include <cuda_runtime.h>\n"
        f"__global__ void k(float* x, int* n) {{ __shared__ float s[64]; {body} }}\n"
        "int main() { k<<<4, 64>>>(nullptr, nullptr); }\n"
    )
    artifact = convert(source, Target.ASCEND_910B)
    assert not artifact.refused, artifact.refused[0].diagnostics
    return artifact.files[0].content.decode()


STAGED = "s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[63 - threadIdx.x];"


def test_blocks_are_shared_out_over_the_cores_unless_they_update_memory(convert: Convert) -> None:
    plain = kernel_text(convert, STAGED)
    assert "k<<<1, nullptr, stream>>>" not in plain
    shared = kernel_text(convert, f"{STAGED} atomicAdd(&s[0], 1.0f);")
    assert "k<<<1, nullptr, stream>>>" not in shared
    updating = kernel_text(convert, f"{STAGED} atomicAdd(n, 1);")
    assert "k<<<1, nullptr, stream>>>" in updating


ROOM_TEST = "(size_t)block.x * block.y * block.z"


def test_more_than_the_unified_buffer_is_refused(convert: Convert) -> None:
    source = """#include <cuda_runtime.h>
__global__ void k(float* x) {
  float kept[64];
  for (int i = 0; i < 64; ++i) kept[i] = x[i * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 64; ++i) x[threadIdx.x * 64 + i] = kept[i];
}
int main() { k<<<1, 1024>>>(nullptr); }
"""
    artifact = convert(source, Target.ASCEND_910B)
    assert [d.code.id for r in artifact.refused for d in r.diagnostics] == ["CM4007"]
    smaller = convert(source.replace("1024", "128"), Target.ASCEND_910B)
    assert not smaller.refused
    assert ROOM_TEST not in smaller.files[0].content.decode()
    # Where no launch tells the size of a block, the launch function looks at what it is given.
    asked = source.replace("main()", "main(int n, char**)").replace("1024", "n")
    tested = convert(asked, Target.ASCEND_910B)
    assert not tested.refused
    assert ROOM_TEST in tested.files[0].content.decode()
    too_many = convert(asked.replace("64", "2048"), Target.ASCEND_910B)
    assert [d.code.id for r in too_many.refused for d in r.diagnostics] == ["CM4007"]


def test_dynamic_memory_and_values_of_threads_count_together(convert: Convert) -> None:
    source = """#include <cuda_runtime.h>
__global__ void k(float* x) {
  extern __shared__ float s[];
  float kept = x[threadIdx.x];
  s[threadIdx.x] = kept;
  __syncthreads();
  x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x] + kept;
}
int main() { k<<<1, 64, 64 * sizeof(float)>>>(nullptr); }
"""
    text = convert(source, Target.ASCEND_910B).files[0].content.decode()
    assert f"{ROOM_TEST} * 4 + dynUbBytes;" in text


def test_a_fence_alone_keeps_a_kernel_on_one_core(convert: Convert) -> None:
    source = """#include <cuda_runtime.h>
__global__ void k(float* x, int* flag) {
  x[threadIdx.x] = 1.0f;
  __threadfence();
  flag[threadIdx.x] = 1;
}
int main() { k<<<4, 64>>>(nullptr, nullptr); }
"""
    artifact = convert(source, Target.ASCEND_910B)
    assert not artifact.refused, artifact.refused[0].diagnostics
    assert "k<<<1, nullptr, stream>>>" in artifact.files[0].content.decode()


def test_names_of_launch_functions_and_of_variable_templates_reach_lane_programs(
    convert: Convert,
) -> None:
    source = """#include <cuda_runtime.h>
template <typename T> __constant__ T weights[4];
template <typename T> __global__ void k(T* block) {
  __shared__ T s[64];
  s[threadIdx.x] = block[threadIdx.x];
  __syncthreads();
  block[threadIdx.x] = s[63 - threadIdx.x] * weights<T>[threadIdx.x & 3];
}
int main() { k<float><<<1, 64>>>(nullptr); }
"""
    artifact = convert(source, Target.ASCEND_910B)
    assert not artifact.refused, artifact.refused[0].diagnostics
    text = artifact.files[0].content.decode()
    assert "&weights_f32[" in text
    assert "&block_[threadIdx_x]" in text
