// C = alpha * A * B + beta * C with square tiles in shared memory. No size is a multiple of the
// tile: what lies beyond a matrix is loaded as zero.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t code = (call);                                                 \
    if (code != cudaSuccess) {                                                 \
      std::fprintf(stderr, "line %d: error %d\n", __LINE__, static_cast<int>(code)); \
      std::exit(3);                                                            \
    }                                                                          \
  } while (0)

#define TILE 16

// a is [m, k], b is [k, n], c is [m, n], all row-major.
__global__ void matmul(const float* __restrict__ a, const float* __restrict__ b,
                       float* __restrict__ c, int m, int n, int k, float alpha, float beta) {
  __shared__ float a_tile[TILE][TILE];
  __shared__ float b_tile[TILE][TILE];

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty;
  const int col = blockIdx.x * TILE + tx;

  float sum = 0.0f;
  for (int tile = 0; tile < (k + TILE - 1) / TILE; ++tile) {
    const int a_col = tile * TILE + tx;
    const int b_row = tile * TILE + ty;
    a_tile[ty][tx] = (row < m && a_col < k) ? a[row * k + a_col] : 0.0f;
    b_tile[ty][tx] = (b_row < k && col < n) ? b[b_row * n + col] : 0.0f;
    __syncthreads();

    for (int i = 0; i < TILE; ++i) sum += a_tile[ty][i] * b_tile[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = alpha * sum + beta * c[row * n + col];
}

int main() {
  const int m = 37, n = 43, k = 53;
  const float alpha = 0.75f, beta = -0.5f;
  std::vector<float> a(m * k), b(k * n), before(m * n), c(m * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = (static_cast<int>(i * 13 % 29) - 14) / 8.0f;
  for (size_t i = 0; i < b.size(); ++i) b[i] = std::sin(0.21f * i);
  for (size_t i = 0; i < c.size(); ++i) before[i] = 3.0f + i % 7;

  float *d_a, *d_b, *d_c;
  CUDA_CHECK(cudaMalloc(&d_a, a.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_b, b.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_c, c.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_b, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_c, before.data(), c.size() * sizeof(float), cudaMemcpyHostToDevice));

  const dim3 block(TILE, TILE);
  const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  matmul<<<grid, block>>>(d_a, d_b, d_c, m, n, k, alpha, beta);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost));

  bool ok = true;
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      double sum = 0.0, magnitude = 0.0;
      for (int i = 0; i < k; ++i) {
        const double term = static_cast<double>(a[row * k + i]) * b[i * n + col];
        sum += term;
        magnitude += std::fabs(term);
      }
      const double want = alpha * sum + beta * static_cast<double>(before[row * n + col]);
      // k products and sums in float, and the three operations behind them.
      const double bound = (k + 4) * 6e-8 * (magnitude + std::fabs(want));
      ok = ok && std::fabs(c[row * n + col] - want) <= bound;
    }
  }
  CUDA_CHECK(cudaFree(d_a));
  CUDA_CHECK(cudaFree(d_b));
  CUDA_CHECK(cudaFree(d_c));
  std::printf("%s\n", ok ? "PASS" : "FAIL");
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
