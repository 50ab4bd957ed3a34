// Dot products by warp shuffles: a ladder inside each warp, one slot of shared memory a warp, and a
// second ladder in the first warp alone.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(2);
  }
}

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
  return v;
}

__device__ int warp_max(int v) {
#pragma unroll
  for (int lane_mask = 16; lane_mask > 0; lane_mask >>= 1) {
    v = max(v, __shfl_xor_sync(0xffffffffu, v, lane_mask));
  }
  return v;
}

// result[b] = dot product of row b of x with row b of y. Every thread of the block takes part; a
// row may be shorter than the block.
__global__ void row_dots(const float* x, const float* y, float* result, int cols) {
  __shared__ float of_warp[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.x;

  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    sum += x[row * cols + c] * y[row * cols + c];
  }
  sum = warp_sum(sum);
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();

  if (warp == 0) {
    const int warps = (blockDim.x + 31) / 32;
    sum = lane < warps ? of_warp[lane] : 0.0f;
    sum = warp_sum(sum);
    if (lane == 0) result[row] = sum;
  }
}

// best[r] = largest number of row r; each warp walks over rows of its own.
__global__ void row_best(const int* x, int* best, int rows, int cols) {
  const int lane = threadIdx.x & 31;
  const int warps = gridDim.x * (blockDim.x >> 5);
  for (int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5); row < rows; row += warps) {
    int most = -2147483647 - 1;
    for (int c = lane; c < cols; c += 32) most = max(most, x[row * cols + c]);
    most = warp_max(most);
    if (lane == 0) best[row] = most;
  }
}

int main() {
  const int rows = 21, cols = 301;
  std::vector<float> x(rows * cols), y(rows * cols), result(rows, NAN);
  std::vector<int> numbers(rows * cols), best(rows, 123456789);
  for (int i = 0; i < rows * cols; ++i) {
    x[i] = 0.5f - (i * 37 % 101) / 101.0f;
    y[i] = std::cos(0.11f * i);
    numbers[i] = (i * 1103 + 7) % 9973 - 5000;
  }
  float *d_x, *d_y, *d_result;
  int *d_numbers, *d_best;
  const size_t bytes = rows * cols * sizeof(float);
  check(cudaMalloc(&d_x, bytes), "x");
  check(cudaMalloc(&d_y, bytes), "y");
  check(cudaMalloc(&d_numbers, bytes), "numbers");
  check(cudaMalloc(&d_result, rows * sizeof(float)), "result");
  check(cudaMalloc(&d_best, rows * sizeof(int)), "best");
  check(cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice), "x");
  check(cudaMemcpy(d_y, y.data(), bytes, cudaMemcpyHostToDevice), "y");
  check(cudaMemcpy(d_numbers, numbers.data(), bytes, cudaMemcpyHostToDevice), "numbers");
  check(cudaMemcpy(d_result, result.data(), rows * sizeof(float), cudaMemcpyHostToDevice), "result");
  check(cudaMemcpy(d_best, best.data(), rows * sizeof(int), cudaMemcpyHostToDevice), "best");

  row_dots<<<rows, 96>>>(d_x, d_y, d_result, cols);
  check(cudaGetLastError(), "row_dots");
  row_best<<<3, 128>>>(d_numbers, d_best, rows, cols);
  check(cudaGetLastError(), "row_best");
  check(cudaMemcpy(result.data(), d_result, rows * sizeof(float), cudaMemcpyDeviceToHost), "result");
  check(cudaMemcpy(best.data(), d_best, rows * sizeof(int), cudaMemcpyDeviceToHost), "best");

  bool ok = true;
  for (int r = 0; r < rows; ++r) {
    double want = 0.0, magnitude = 0.0;
    long long most = -(1LL << 40);
    for (int c = 0; c < cols; ++c) {
      const double term = static_cast<double>(x[r * cols + c]) * y[r * cols + c];
      want += term;
      magnitude += std::fabs(term);
      if (numbers[r * cols + c] > most) most = numbers[r * cols + c];
    }
    // Four products a thread and ten levels of the ladders, each rounded once.
    ok = ok && std::fabs(result[r] - want) <= 16 * 6e-8 * magnitude && best[r] == most;
  }
  check(cudaFree(d_x), "free");
  check(cudaFree(d_y), "free");
  check(cudaFree(d_numbers), "free");
  check(cudaFree(d_result), "free");
  check(cudaFree(d_best), "free");
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
