// C = A * B with four numbers a load: tiles of 32 x 32 sums and 16 deep, A is turned on its way into
// shared memory, and a thread makes 4 x 4 sums. k and n are multiples of 4, m is not.

#include <cmath>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

constexpr int kSide = 32, kDepth = 16, kThreads = 64;

// a is [m, k], b is [k, n], c is [m, n], all row-major.
__global__ void __launch_bounds__(kThreads) multiply(const float* __restrict__ a,
                                                     const float* __restrict__ b,
                                                     float* __restrict__ c, int m, int n, int k) {
  __shared__ float columns[kDepth][kSide];  // the tile of A, turned
  __shared__ float rows[kDepth][kSide];
  const int t = threadIdx.x, tx = t % 8, ty = t / 8;
  const int row0 = blockIdx.y * kSide, col0 = blockIdx.x * kSide;

  float sum[4][4] = {};
  for (int start = 0; start < k; start += kDepth) {
    for (int i = t; i < kSide * kDepth / 4; i += kThreads) {
      const int row = i / (kDepth / 4), deep = i % (kDepth / 4) * 4;
      float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      if (row0 + row < m && start + deep < k) {
        v = *reinterpret_cast<const float4*>(&a[(row0 + row) * k + start + deep]);
      }
      columns[deep][row] = v.x;
      columns[deep + 1][row] = v.y;
      columns[deep + 2][row] = v.z;
      columns[deep + 3][row] = v.w;
    }
    for (int i = t; i < kSide * kDepth / 4; i += kThreads) {
      const int deep = i / (kSide / 4), col = i % (kSide / 4) * 4;
      float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      if (start + deep < k && col0 + col < n) {
        v = *reinterpret_cast<const float4*>(&b[(start + deep) * n + col0 + col]);
      }
      *reinterpret_cast<float4*>(&rows[deep][col]) = v;
    }
    __syncthreads();
    for (int d = 0; d < kDepth; ++d) {
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) sum[i][j] += columns[d][ty * 4 + i] * rows[d][tx * 4 + j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    const int row = row0 + ty * 4 + i, col = col0 + tx * 4;
    if (row < m && col < n) {
      const float4 v = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
      *reinterpret_cast<float4*>(&c[row * n + col]) = v;
    }
  }
}

int main() {
  const int m = 45, n = 52, k = 60;
  std::vector<float> a(m * k), b(k * n), c(m * n, NAN);
  for (int i = 0; i < m * k; ++i) a[i] = std::sin(0.7f * i);
  for (int i = 0; i < k * n; ++i) b[i] = (i % 19 - 9) / 8.0f;
  float *d_a, *d_b, *d_c;
  bool failed = cudaMalloc(&d_a, a.size() * 4) || cudaMalloc(&d_b, b.size() * 4) ||
                cudaMalloc(&d_c, c.size() * 4);
  failed |= cudaMemcpy(d_a, a.data(), a.size() * 4, cudaMemcpyHostToDevice) != cudaSuccess;
  failed |= cudaMemcpy(d_b, b.data(), b.size() * 4, cudaMemcpyHostToDevice) != cudaSuccess;
  failed |= cudaMemcpy(d_c, c.data(), c.size() * 4, cudaMemcpyHostToDevice) != cudaSuccess;
  if (failed) return 2;
  multiply<<<dim3((n + kSide - 1) / kSide, (m + kSide - 1) / kSide), kThreads>>>(d_a, d_b, d_c, m, n, k);
  if (cudaMemcpy(c.data(), d_c, c.size() * 4, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;

  int wrong = 0;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0, size = 0;
      for (int d = 0; d < k; ++d) {
        sum += static_cast<double>(a[i * k + d]) * b[d * n + j];
        size += std::fabs(static_cast<double>(a[i * k + d]) * b[d * n + j]);
      }
      // k products and k additions, each off by half a unit at most.
      wrong += !(std::fabs(c[i * n + j] - sum) <= 2 * k * 6e-8 * size);
    }
  }
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  std::puts(wrong ? "FAIL" : "PASS");
  return wrong ? 1 : 0;
}
