"""Features of device code beyond plain arithmetic: pairs of halves, clocks, printing, cuRAND, limits."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from migrate.backends.ascendc.simt_effects import unknown_conversion
from migrate.core.targets import Target
from tests.backends.ascend_runs import run
from tests.backends.conftest import Convert

DEVICE = """#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <curand_kernel.h>
#include <cassert>
#include <cstdio>

__global__ void pairs(half* h, half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2) {
  int i = threadIdx.x;
  atomicAdd(&h[i % 3], __float2half(1.0f));
  atomicAdd(&h2[i % 3], __floats2half2_rn(1.0f, 2.0f));
  atomicAdd(&b[i % 3], __float2bfloat16(1.0f));
  atomicAdd(&b2[i % 3], __floats2bfloat162_rn(2.0f, 1.0f));
  half2 v = __floats2half2_rn((float)i, (float)-i);
  half2 w = __shfl_xor_sync(0xffffffffu, v, 1);
  if (i < 32) h2[8 + i] = __hadd2(v, w);
}
__global__ void times(long long* spent, int* cut) {
  long long start = clock64();
  __nanosleep(20);
  spent[threadIdx.x] = clock64() - start;
  cut[threadIdx.x] = clock() - clock();
}
__global__ void say(const int* x) {
  assert(x != nullptr);
  if (x[0] > 5) __trap();
  printf("device %d %lf %u %lld\\n", x[0], 1.5f, 3u, 5LL);
}
__global__ void seed(curandState* s) { curand_init(1234ULL, threadIdx.x, 0, &s[threadIdx.x]); }
__global__ void draw(curandState* s, unsigned* r, float* n) {
  curandState own = s[threadIdx.x];
  r[threadIdx.x] = curand(&own);
  n[threadIdx.x] = curand_normal(&own);
  s[threadIdx.x] = own;
}

int main() {
  char* d;
  cudaMalloc(&d, 1 << 14);
  cudaMemset(d, 0, 1 << 14);
  half* h = (half*)d;
  half2* h2 = (half2*)(d + 1024);
  __nv_bfloat16* b = (__nv_bfloat16*)(d + 2048);
  __nv_bfloat162* b2 = (__nv_bfloat162*)(d + 3072);
  pairs<<<1, 96>>>(h, h2, b, b2);
  unsigned short hh[3], hb[3], hh2[80], hb2[6];
  cudaMemcpy(hh, h, sizeof(hh), cudaMemcpyDeviceToHost);
  cudaMemcpy(hh2, h2, sizeof(hh2), cudaMemcpyDeviceToHost);
  cudaMemcpy(hb, b, sizeof(hb), cudaMemcpyDeviceToHost);
  cudaMemcpy(hb2, b2, sizeof(hb2), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < 3; ++i) {
    bad += hh[i] != 0x5000 || hb[i] != 0x4200;               // 32
    bad += hh2[2 * i] != 0x5000 || hh2[2 * i + 1] != 0x5400;  // 32 and 64
    bad += hb2[2 * i] != 0x4280 || hb2[2 * i + 1] != 0x4200;  // 64 and 32
  }
  bad += hh2[16] != 0x3c00 || hh2[17] != 0xbc00 || hh2[20] != 0x4500;  // 1, -1 and 5
  long long* spent = (long long*)(d + 4096);
  int* cut = (int*)(d + 8192);
  times<<<1, 32>>>(spent, cut);
  long long hs[32];
  cudaMemcpy(hs, spent, sizeof(hs), cudaMemcpyDeviceToHost);
  bad += hs[0] < 0;
  say<<<1, 1>>>((const int*)h2 + 100);
  curandState* s;
  unsigned* r;
  cudaMalloc(&s, 32 * sizeof(curandState));
  cudaMalloc(&r, 256);
  seed<<<1, 32>>>(s);
  draw<<<1, 32>>>(s, r, (float*)(r + 32));
  unsigned hr[32];
  float hn[32];
  cudaMemcpy(hr, r, 128, cudaMemcpyDeviceToHost);
  cudaMemcpy(hn, r + 32, 128, cudaMemcpyDeviceToHost);
  bad += hr[0] != 624778773u || hr[31] != 4015944717u;
  bad += hn[7] < -0.07763f || hn[7] > -0.07762f;
  std::printf("%s %d\\n", bad == 0 ? "PASS" : "FAIL", bad);
  return bad != 0;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_device_features_run(convert: Convert, tmp_path: Path) -> None:
    artifact = convert(DEVICE)
    assert not artifact.refused
    assert [d.code.id for d in artifact.diagnostics] == []
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert "device 0 1.500000 3 5\n" in done.result.stdout
    assert done.result.stdout.endswith("PASS 0\n"), done.result.stdout + done.result.stderr


RANDOM = """#include <curand_kernel.h>
__global__ void seed(curandState* s) { curand_init(1ULL, threadIdx.x, 0, &s[threadIdx.x]); }
int main() {
  curandState_t* s;
  cudaMalloc(&s, 32 * sizeof(curandState));
  seed<<<1, 32>>>(s);
}
"""


@pytest.mark.parametrize("chip", [Target.ASCEND_950, Target.ASCEND_910B])
def test_states_of_generators_keep_their_size_in_host_code(convert: Convert, chip: Target) -> None:
    artifact = convert(RANDOM, chip)
    assert not artifact.refused
    assert [d.code.id for d in artifact.diagnostics if d.code.id == "CM4003"] == []
    text = artifact.files[0].content.decode()
    assert "32 * sizeof(curandStateXORWOW)" in text
    assert text.count('static_assert(sizeof(curandStateXORWOW) == 48, "layout') == 1
    assert text.count("xorwow_jumps[131][5] = {") == 1


REFUSED = (
    (
        "unsigned short* x",
        "atomicCAS(x, (unsigned short)0, (unsigned short)1);",
        "atomic cas on u16",
    ),
    ("int* x", 'printf("%c", (char)x[0]);', "printf with %c"),
    ("float* x", 'printf("%.3g", x[0]);', "printf with %.3g"),
    ("float* x", 'printf("%f", (double)x[0] * x[1]);', "k computes in double"),
    ("int* x", "__brkpt();", "no rule covers __brkpt"),
    (
        "unsigned long long* x",
        "__shared__ unsigned long long s; atomicAdd(&s, x[0]); x[0] = s;",
        "atomic add on u64 in shared memory",
    ),
)


@pytest.mark.parametrize(("param", "body", "cause"), REFUSED)
def test_what_the_chip_lacks_is_refused_by_name(
    convert: Convert, param: str, body: str, cause: str
) -> None:
    source = "#include <cuda_runtime.h>\n#include <cstdio>\n"
    artifact = convert(f"{source}__global__ void k({param}) {{ {body} }}\nint main() {{}}\n")
    (refused,) = artifact.refused
    assert [d.cause for d in refused.diagnostics if d.outcome.value == "kernel not emitted"] == [
        cause
    ]


def test_conversions_of_printf() -> None:
    assert unknown_conversion("%d %5u %-8.3f %llx %s 100%% %p\n") == ""
    assert unknown_conversion("%ld %zu") == "%zu"
    assert unknown_conversion("%hd") == "%hd"
    assert unknown_conversion("%lf") == ""
    assert unknown_conversion("%ls") == "%ls"
    assert unknown_conversion("%e") == "%e"


BLOCKS = """#include <cuda_runtime.h>
__global__ void fixed(int* x) {{ x[threadIdx.x] = 1; }}
__global__ void dynamic(int* x) {{
  extern __shared__ int s[];
  __shared__ int t[100];
  s[threadIdx.x] = x[threadIdx.x];
  t[threadIdx.x % 100] = 1;
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x ^ 1] + t[0];
}}
int main(int argc, char**) {{
  int* d;
  cudaMalloc(&d, 1 << 20);
  fixed<<<1, {block}>>>(d);
  dynamic<<<1, 64, {shared}>>>(d);
}}
"""


def test_limits_of_a_launch_are_checked_where_it_is_made(convert: Convert) -> None:
    text = convert(BLOCKS.format(block="argc", shared="argc")).files[0].content.decode()
    assert text.count("inline void checkLaunch(") == 1
    assert 'checkLaunch("fixed", block, 1024, dynUbBytes, 221184);' in text
    assert 'checkLaunch("dynamic", block, 64, dynUbBytes, 220768);' in text


def test_a_literal_block_within_the_limit_needs_no_check(convert: Convert) -> None:
    text = convert(BLOCKS.format(block="256", shared="256")).files[0].content.decode()
    assert 'checkLaunch("fixed"' not in text
    assert "__launch_bounds__(256) void fixed(" in text


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_a_launch_over_a_limit_ends_the_program(convert: Convert, tmp_path: Path) -> None:
    done = run(convert(BLOCKS.format(block="32", shared="221000")), tmp_path)
    assert done.result is not None, done.log
    assert done.result.exit != 0
    assert "CM4011: dynamic is launched with 221000 bytes of shared memory" in done.result.stderr
