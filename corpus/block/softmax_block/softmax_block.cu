// Softmax over the rows of a matrix, one block a row: the largest value and the sum of exponentials
// are folded first inside each warp, then over the warps through shared memory.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                           \
  do {                                                                             \
    const cudaError_t result = (call);                                             \
    if (result != cudaSuccess) {                                                   \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(result)); \
      std::exit(2);                                                                \
    }                                                                              \
  } while (0)

__device__ float warp_all_max(float v) {
  for (int mask = 16; mask > 0; mask /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, mask));
  return v;
}

__device__ float warp_all_sum(float v) {
  for (int mask = 16; mask > 0; mask /= 2) v += __shfl_xor_sync(0xffffffff, v, mask);
  return v;
}

// The fold over a block of whole warps; every thread gets it. `slots` has one place a warp.
template <bool kSum>
__device__ float block_all(float v, float* slots) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  v = kSum ? warp_all_sum(v) : warp_all_max(v);
  __syncthreads();  // the slots may still be read from the fold before
  if (lane == 0) slots[warp] = v;
  __syncthreads();
  const int warps = blockDim.x / 32;
  v = lane < warps ? slots[lane] : (kSum ? 0.0f : -INFINITY);
  return kSum ? warp_all_sum(v) : warp_all_max(v);
}

__global__ void softmax(const float* logits, float* out, int cols) {
  __shared__ float slots[32];
  const float* x = logits + blockIdx.x * cols;
  float* y = out + blockIdx.x * cols;

  float most = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) most = fmaxf(most, x[i]);
  most = block_all<false>(most, slots);

  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    const float e = expf(x[i] - most);
    y[i] = e;
    sum += e;
  }
  sum = block_all<true>(sum, slots);

  for (int i = threadIdx.x; i < cols; i += blockDim.x) y[i] /= sum;
}

int main() {
  const int rows = 9, cols = 333;
  std::vector<float> x(rows * cols), y(rows * cols, NAN);
  for (int i = 0; i < rows * cols; ++i) x[i] = 6.0f * std::sin(0.7f * i) + (i / cols) * 40.0f;
  float *d_x, *d_y;
  CUDA_CHECK(cudaMalloc(&d_x, x.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_y, y.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_y, y.data(), y.size() * sizeof(float), cudaMemcpyHostToDevice));
  softmax<<<rows, 128>>>(d_x, d_y, cols);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(y.data(), d_y, y.size() * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));

  bool ok = true;
  for (int r = 0; r < rows; ++r) {
    double sum = 0.0;
    for (int c = 0; c < cols; ++c) sum += std::exp(static_cast<double>(x[r * cols + c]));
    for (int c = 0; c < cols; ++c) {
      const double want = std::exp(static_cast<double>(x[r * cols + c])) / sum;
      // The difference of two logits up to 330 apart is rounded to 2e-5; the exponential keeps it.
      ok = ok && std::fabs(y[r * cols + c] - want) <= 4e-5 * want + 1e-12;
    }
  }
  std::printf(ok ? "PASS\n" : "FAIL\n");
  return ok ? 0 : 1;
}
