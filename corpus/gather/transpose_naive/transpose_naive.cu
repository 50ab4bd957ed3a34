// Naive out-of-place matrix transpose, one thread per output element.
//
// Writes are contiguous and reads are strided: the textbook baseline that tiled versions are
// measured against.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                     \
  do {                                                                       \
    const cudaError_t e = call;                                              \
    if (e != cudaSuccess) {                                                  \
      printf("CUDA failure %s:%d: '%s'\n", __FILE__, __LINE__,               \
             cudaGetErrorString(e));                                         \
      exit(EXIT_FAILURE);                                                    \
    }                                                                        \
  } while (0)

constexpr int kRows = 131;  // rows of the input
constexpr int kCols = 203;  // columns of the input

// in is [rows, cols], out is [cols, rows], both row-major and dense.
__global__ void transpose_naive(float* __restrict__ out, const float* __restrict__ in, int rows,
                                int cols) {
  const int out_col = blockIdx.x * blockDim.x + threadIdx.x;
  const int out_row = blockIdx.y * blockDim.y + threadIdx.y;
  if (out_col >= rows || out_row >= cols) {
    return;
  }
  // Neighbouring threads read elements that lie one input row apart.
  out[out_row * rows + out_col] = in[out_col * cols + out_row];
}

int main() {
  const int n = kRows * kCols;
  std::vector<float> h_in(n), h_out(n, -1.0f);
  for (int i = 0; i < n; ++i) h_in[i] = static_cast<float>(i);

  float *d_in, *d_out;
  CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_in, h_in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(d_out, 0, n * sizeof(float)));

  const dim3 block(16, 16);
  const dim3 grid((kRows + block.x - 1) / block.x, (kCols + block.y - 1) / block.y);
  transpose_naive<<<grid, block>>>(d_out, d_in, kRows, kCols);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());

  CUDA_CHECK(cudaMemcpy(h_out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_out));

  // Elements are only moved, so the comparison is exact. All inputs differ from one another.
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kCols; ++c) {
      if (h_out[c * kRows + r] != h_in[r * kCols + c]) {
        printf("mismatch at input (%d, %d)\nFAIL\n", r, c);
        return 1;
      }
    }
  }
  printf("PASS\n");
  return 0;
}
