// Largest element of every row of a matrix, one warp per row, with shuffles instead of shared
// memory.

#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
  std::exit(2);
}
#define CHECK(call) check((call), __LINE__)

constexpr unsigned kAllLanes = 0xffffffffu;

// After five steps lane 0 has the maximum of all 32 lanes.
__device__ __forceinline__ float warp_max(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) {
    v = fmaxf(v, __shfl_down_sync(kAllLanes, v, offset));
  }
  return v;
}

// matrix is [rows, cols], row-major. blockDim.x is 32: the y index of a thread selects its warp.
__global__ void row_max(const float* matrix, float* result, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;  // uniform within a warp

  float best = -FLT_MAX;
  for (int c = threadIdx.x; c < cols; c += 32) {
    best = fmaxf(best, matrix[row * cols + c]);
  }
  best = warp_max(best);
  if (threadIdx.x == 0) result[row] = best;
}

int main() {
  const int rows = 103, cols = 75;
  std::vector<float> matrix(rows * cols), result(rows, 0.0f);
  for (int i = 0; i < rows * cols; ++i) {
    matrix[i] = static_cast<float>(i * 7919 % 10007) - 20000.0f;  // all negative
  }

  float *d_matrix, *d_result;
  CHECK(cudaMalloc(&d_matrix, matrix.size() * sizeof(float)));
  CHECK(cudaMalloc(&d_result, rows * sizeof(float)));
  CHECK(cudaMemcpy(d_matrix, matrix.data(), matrix.size() * sizeof(float),
                   cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_result, 0, rows * sizeof(float)));
  const dim3 block(32, 4);
  row_max<<<(rows + 3) / 4, block>>>(d_matrix, d_result, rows, cols);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result.data(), d_result, rows * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_matrix));
  CHECK(cudaFree(d_result));

  int wrong = 0;
  for (int r = 0; r < rows; ++r) {
    float best = matrix[r * cols];
    for (int c = 1; c < cols; ++c) {
      if (matrix[r * cols + c] > best) best = matrix[r * cols + c];
    }
    if (result[r] != best) ++wrong;  // a maximum is exact
  }
  std::printf("%d rows are wrong\n%s\n", wrong, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
