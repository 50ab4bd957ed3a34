// C = alpha * A * B^T + beta * C for a batch of matrices. A block makes a 32 x 32 tile of C, each
// thread 4 x 2 elements of it in registers. Edges are ragged in all three dimensions.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define TRY(e)                                                               \
  if ((e) != cudaSuccess) {                                                  \
    std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));    \
    std::exit(2);                                                            \
  }

constexpr int TILE = 32, DEPTH = 8, ROWS = 4, COLS = 2;
constexpr int TX = TILE / COLS, TY = TILE / ROWS;

// a is [batch, m, k], b is [batch, n, k] and used transposed, c is [batch, m, n], all row-major.
__global__ void __launch_bounds__(TX * TY)
    matmul_nt(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
              int n, int k, float alpha, float beta) {
  __shared__ float a_tile[TILE][DEPTH + 1];
  __shared__ float b_tile[TILE][DEPTH + 1];
  a += (size_t)blockIdx.z * m * k;
  b += (size_t)blockIdx.z * n * k;
  c += (size_t)blockIdx.z * m * n;
  const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
  const int tid = threadIdx.y * TX + threadIdx.x;

  float sum[ROWS][COLS] = {};
  for (int k0 = 0; k0 < k; k0 += DEPTH) {
    for (int i = tid; i < TILE * DEPTH; i += TX * TY) {
      const int r = i / DEPTH, d = i % DEPTH;
      a_tile[r][d] = row0 + r < m && k0 + d < k ? a[(row0 + r) * k + k0 + d] : 0.0f;
      b_tile[r][d] = col0 + r < n && k0 + d < k ? b[(col0 + r) * k + k0 + d] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
#pragma unroll
      for (int i = 0; i < ROWS; ++i) {
#pragma unroll
        for (int j = 0; j < COLS; ++j) {
          sum[i][j] += a_tile[threadIdx.y + i * TY][d] * b_tile[threadIdx.x + j * TX][d];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLS; ++j) {
      const int row = row0 + threadIdx.y + i * TY, col = col0 + threadIdx.x + j * TX;
      if (row < m && col < n) {
        float& at = c[row * n + col];
        at = beta == 0.0f ? alpha * sum[i][j] : alpha * sum[i][j] + beta * at;
      }
    }
  }
}

int main() {
  const int batch = 2, m = 45, n = 39, k = 29;
  const float alpha = 0.75f, beta = -0.5f;
  std::vector<float> a(batch * m * k), b(batch * n * k), c(batch * m * n), out(c.size());
  for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(0.3f * i);
  for (size_t i = 0; i < b.size(); ++i) b[i] = std::cos(0.2f * i);
  for (size_t i = 0; i < c.size(); ++i) c[i] = (float)(i % 11) - 5.0f;

  float *d_a, *d_b, *d_c;
  TRY(cudaMalloc(&d_a, a.size() * 4));
  TRY(cudaMalloc(&d_b, b.size() * 4));
  TRY(cudaMalloc(&d_c, c.size() * 4));
  TRY(cudaMemcpy(d_a, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(d_b, b.data(), b.size() * 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(d_c, c.data(), c.size() * 4, cudaMemcpyHostToDevice));
  const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE, batch), block(TX, TY);
  matmul_nt<<<grid, block>>>(d_a, d_b, d_c, m, n, k, alpha, beta);
  TRY(cudaMemcpy(out.data(), d_c, c.size() * 4, cudaMemcpyDeviceToHost));

  bool ok = true;
  for (int z = 0; z < batch; ++z) {
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 0.0, size = 0.0;
        for (int d = 0; d < k; ++d) {
          const double p = (double)a[(z * m + i) * k + d] * b[(z * n + j) * k + d];
          sum += p;
          size += std::fabs(p);
        }
        const int at = (z * m + i) * n + j;
        const double want = alpha * sum + beta * c[at];
        // k products and k sums in float, then three operations more.
        ok = ok && std::fabs(out[at] - want) <= 6e-8 * (2 * k + 3) * (size + std::fabs(c[at]));
      }
    }
  }
  TRY(cudaFree(d_a));
  TRY(cudaFree(d_b));
  TRY(cudaFree(d_c));
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
