// D = A * B + C with half factors and float sums on matrix units: a warp makes a tile of 16 x 16 with
// one warp a block. All sizes are multiples of 16; the last block of a row has no tile.

#include <cmath>
#include <cstdio>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

// a is [m, k] and c, d are [m, n], row-major; b is [k, n] by columns.
__global__ void gemm(const half* a, const half* b, const float* c, float* d, int m, int n, int k,
                     float alpha) {
  const int row = blockIdx.y * 16;
  const int col = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16;
  if (col >= n) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, before;
  wmma::fill_fragment(sum, 0.0f);
  for (int start = 0; start < k; start += 16) {
    wmma::load_matrix_sync(left, a + row * k + start, k);
    wmma::load_matrix_sync(right, b + col * k + start, k);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::load_matrix_sync(before, c + row * n + col, n, wmma::mem_row_major);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = alpha * sum.x[i] + before.x[i];
  wmma::store_matrix_sync(d + row * n + col, sum, n, wmma::mem_row_major);
}

int main() {
  const int m = 48, n = 80, k = 64;
  std::vector<half> a(m * k), b(k * n);
  std::vector<float> c(m * n), d(m * n, NAN);
  for (int i = 0; i < m * k; ++i) a[i] = __float2half((i * 5 % 17 - 8) / 8.0f);
  for (int i = 0; i < k * n; ++i) b[i] = __float2half(std::sin(0.11f * i));
  for (int i = 0; i < m * n; ++i) c[i] = (i % 13 - 6) / 4.0f;
  half *d_a, *d_b;
  float *d_c, *d_d;
  cudaMalloc(&d_a, a.size() * sizeof(half));
  cudaMalloc(&d_b, b.size() * sizeof(half));
  cudaMalloc(&d_c, c.size() * sizeof(float));
  cudaMalloc(&d_d, d.size() * sizeof(float));
  cudaMemcpy(d_a, a.data(), a.size() * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemcpy(d_c, c.data(), c.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_d, d.data(), d.size() * sizeof(float), cudaMemcpyHostToDevice);
  gemm<<<dim3(n / 16 + 1, m / 16), 32>>>(d_a, d_b, d_c, d_d, m, n, k, 0.75f);
  cudaMemcpy(d.data(), d_d, d.size() * sizeof(float), cudaMemcpyDeviceToHost);

  int wrong = 0;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0, size = 0;
      for (int x = 0; x < k; ++x) {
        const double term = static_cast<double>(__half2float(a[i * k + x])) * __half2float(b[j * k + x]);
        sum += term;
        size += std::fabs(term);
      }
      const double want = 0.75 * sum + c[i * n + j];
      // Products of halves are exact in float; matrix units may cut where others round.
      wrong += !(std::fabs(d[i * n + j] - want) <= (k + 2) * 1.2e-7 * (size + std::fabs(want)));
    }
  }
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  cudaFree(d_d);
  std::puts(wrong ? "FAIL" : "PASS");
  return wrong ? 1 : 0;
}
