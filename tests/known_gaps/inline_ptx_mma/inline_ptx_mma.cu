// Matrix product on tensor cores, with the mma instruction written as inline PTX.
//
// C[m, n] = A[m, k] * B[n, k]^T with half inputs and float sums. One warp computes one 16 x 8 tile
// of C. Needs compute capability 8.0.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                           \
  do {                                                                             \
    cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                   \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(status)); \
      std::exit(2);                                                                \
    }                                                                              \
  } while (0)

// Two neighbouring halves as one register. p is aligned to four bytes.
__device__ __forceinline__ uint32_t load_pair(const __half* p) {
  return *reinterpret_cast<const uint32_t*>(p);
}

// d += a * b for one 16 x 8 x 16 tile, spread over the lanes of the warp.
__device__ __forceinline__ void mma_16x8x16(float d[4], const uint32_t a[4],
                                            const uint32_t b[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// blockIdx.x selects the tile column, blockIdx.y the tile row; a block is one warp. m is a multiple
// of 16, n of 8, k of 16.
__global__ void matmul_mma(const __half* a, const __half* b, float* c, int n, int k) {
  const int group = threadIdx.x / 4;        // row of A, column of B within the tile
  const int pair = (threadIdx.x % 4) * 2;   // first of two neighbouring k, or columns of C
  const __half* a_row = a + (blockIdx.y * 16 + group) * k;
  const __half* b_row = b + (blockIdx.x * 8 + group) * k;

  float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int k0 = 0; k0 < k; k0 += 16) {
    const uint32_t fragment_a[4] = {
        load_pair(a_row + k0 + pair), load_pair(a_row + 8 * k + k0 + pair),
        load_pair(a_row + k0 + pair + 8), load_pair(a_row + 8 * k + k0 + pair + 8)};
    const uint32_t fragment_b[2] = {load_pair(b_row + k0 + pair),
                                    load_pair(b_row + k0 + pair + 8)};
    mma_16x8x16(sum, fragment_a, fragment_b);
  }

  float* c_tile = c + (blockIdx.y * 16 + group) * n + blockIdx.x * 8 + pair;
  c_tile[0] = sum[0];
  c_tile[1] = sum[1];
  c_tile[8 * n] = sum[2];
  c_tile[8 * n + 1] = sum[3];
}

int main() {
  const int m = 48, n = 40, k = 64;
  std::vector<__half> a(m * k), b(n * k);
  std::vector<float> c(m * n, NAN);
  // Small multiples of 1/8: products and sums are exact in half and float.
  for (int i = 0; i < m * k; ++i) a[i] = __float2half(0.125f * (i % 17 - 8));
  for (int i = 0; i < n * k; ++i) b[i] = __float2half(0.125f * (i % 13 - 6));

  __half *d_a, *d_b;
  float* d_c;
  CUDA_CHECK(cudaMalloc(&d_a, a.size() * sizeof(__half)));
  CUDA_CHECK(cudaMalloc(&d_b, b.size() * sizeof(__half)));
  CUDA_CHECK(cudaMalloc(&d_c, c.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_a, a.data(), a.size() * sizeof(__half), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_b, b.data(), b.size() * sizeof(__half), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_c, c.data(), c.size() * sizeof(float), cudaMemcpyHostToDevice));
  matmul_mma<<<dim3(n / 8, m / 16), 32>>>(d_a, d_b, d_c, n, k);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_a));
  CUDA_CHECK(cudaFree(d_b));
  CUDA_CHECK(cudaFree(d_c));

  int wrong = 0;
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      float expected = 0.0f;
      for (int i = 0; i < k; ++i) {
        expected += __half2float(a[row * k + i]) * __half2float(b[col * k + i]);
      }
      if (c[row * n + col] != expected) ++wrong;
    }
  }
  std::printf("%d elements are wrong\n%s\n", wrong, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
