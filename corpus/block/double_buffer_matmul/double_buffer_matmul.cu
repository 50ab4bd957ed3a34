// Matrix product with two pairs of tiles in turn: while one pair is multiplied, the next one is
// loaded into registers and then stored into the other pair. One barrier a round is enough.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                        \
  do {                                                          \
    if ((call) != cudaSuccess) {                                \
      std::fprintf(stderr, "stopped in line %d\n", __LINE__);   \
      std::exit(2);                                             \
    }                                                           \
  } while (0)

constexpr int kTile = 8;

// c = a * b, a is [m, k], b is [k, n]. The integers are small: all sums are exact.
__global__ void multiply(const int* a, const int* b, int* c, int m, int n, int k) {
  __shared__ int a_tiles[2][kTile][kTile + 1];
  __shared__ int b_tiles[2][kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, col = blockIdx.x * kTile + tx;
  const int rounds = (k + kTile - 1) / kTile;

  a_tiles[0][ty][tx] = row < m && tx < k ? a[row * k + tx] : 0;
  b_tiles[0][ty][tx] = ty < k && col < n ? b[ty * n + col] : 0;
  __syncthreads();

  int now = 0, sum = 0;
  for (int round = 0; round < rounds; ++round) {
    int next_a = 0, next_b = 0;
    const bool more = round + 1 < rounds;
    if (more) {
      const int start = (round + 1) * kTile;
      if (row < m && start + tx < k) next_a = a[row * k + start + tx];
      if (start + ty < k && col < n) next_b = b[(start + ty) * n + col];
    }
    for (int i = 0; i < kTile; ++i) sum += a_tiles[now][ty][i] * b_tiles[now][i][tx];
    if (more) {
      a_tiles[now ^ 1][ty][tx] = next_a;
      b_tiles[now ^ 1][ty][tx] = next_b;
      __syncthreads();
      now ^= 1;
    }
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

int main() {
  const int m = 29, n = 19, k = 45;
  std::vector<int> a(m * k), b(k * n), c(m * n, -777777);
  for (int i = 0; i < m * k; ++i) a[i] = (i * 7) % 23 - 11;
  for (int i = 0; i < k * n; ++i) b[i] = (i * 5) % 19 - 9;
  int *d_a, *d_b, *d_c;
  CUDA_CHECK(cudaMalloc((void**)&d_a, a.size() * sizeof(int)));
  CUDA_CHECK(cudaMalloc((void**)&d_b, b.size() * sizeof(int)));
  CUDA_CHECK(cudaMalloc((void**)&d_c, c.size() * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(d_a, a.data(), a.size() * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_b, b.data(), b.size() * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_c, c.data(), c.size() * sizeof(int), cudaMemcpyHostToDevice));
  multiply<<<dim3((n + kTile - 1) / kTile, (m + kTile - 1) / kTile), dim3(kTile, kTile)>>>(
      d_a, d_b, d_c, m, n, k);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(c.data(), d_c, c.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_a));
  CUDA_CHECK(cudaFree(d_b));
  CUDA_CHECK(cudaFree(d_c));

  int wrong = 0;
  for (int i = 0; i < m; ++i) {
    std::vector<long> line(n, 0);
    for (int l = 0; l < k; ++l) {
      for (int j = 0; j < n; ++j) line[j] += static_cast<long>(a[i * k + l]) * b[l * n + j];
    }
    for (int j = 0; j < n; ++j) wrong += c[i * n + j] != line[j];
  }
  std::puts(wrong ? "FAIL" : "PASS");
  return wrong ? 1 : 0;
}
