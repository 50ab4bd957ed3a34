// y = silu(gate) * up for half pairs, with a tail for an odd length.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CK(e)                                                \
  do {                                                       \
    cudaError_t s = (e);                                     \
    if (s != cudaSuccess) {                                  \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(s));   \
      std::exit(2);                                          \
    }                                                        \
  } while (0)

__device__ __forceinline__ float silu(float v) { return v / (1.0f + expf(-v)); }

__global__ void swiglu(const __half* gate, const __half* up, __half* y, int n) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 < n) {
    const __half2 g = *reinterpret_cast<const __half2*>(gate + i);
    const __half2 u = *reinterpret_cast<const __half2*>(up + i);
    const __half2 s = __floats2half2_rn(silu(__low2float(g)), silu(__high2float(g)));
    *reinterpret_cast<__half2*>(y + i) = __hmul2(s, u);
  } else if (i < n) {
    y[i] = __hmul(__float2half_rn(silu(__half2float(gate[i]))), up[i]);
  }
}

int main() {
  const int n = 3333;
  std::vector<__half> gate(n), up(n), y(n);
  for (int i = 0; i < n; ++i) {
    gate[i] = __float2half(5.0f * std::sin(0.21f * i));
    up[i] = __float2half(1.5f * std::cos(0.37f * i));
  }
  __half *dg, *du, *dy;
  CK(cudaMalloc(&dg, n * sizeof(__half)));
  CK(cudaMalloc(&du, n * sizeof(__half)));
  CK(cudaMalloc(&dy, n * sizeof(__half)));
  CK(cudaMemcpy(dg, gate.data(), n * sizeof(__half), cudaMemcpyHostToDevice));
  CK(cudaMemcpy(du, up.data(), n * sizeof(__half), cudaMemcpyHostToDevice));
  CK(cudaMemset(dy, 0x7f, n * sizeof(__half)));
  swiglu<<<((n + 1) / 2 + 127) / 128, 128>>>(dg, du, dy, n);
  CK(cudaGetLastError());
  CK(cudaMemcpy(y.data(), dy, n * sizeof(__half), cudaMemcpyDeviceToHost));
  bool ok = true;
  for (int i = 0; i < n; ++i) {
    const double g = __half2float(gate[i]), u = __half2float(up[i]);
    const double want = g / (1.0 + std::exp(-g)) * u;
    // Two roundings to half, each 2^-11 relative, or half of its smallest step.
    ok = ok && std::fabs(__half2float(y[i]) - want) <= std::fabs(want) / 1000 + 1.2e-7;
  }
  CK(cudaFree(dg));
  CK(cudaFree(du));
  CK(cudaFree(dy));
  std::printf("%s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
