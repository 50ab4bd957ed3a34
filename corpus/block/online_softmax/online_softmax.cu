// Softmax of rows in one pass over the data: maximum and sum are carried together, and merged over
// the lanes of a warp and the warps of a block.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define OK(call)                                         \
  {                                                      \
    cudaError_t err_ = call;                             \
    if (err_ != cudaSuccess) {                           \
      std::printf("%s\n", cudaGetErrorString(err_));     \
      return 2;                                          \
    }                                                    \
  }

struct Running {
  float most;
  float sum;  // of exp(x - most)
};

__device__ Running merged(Running a, Running b) {
  const bool a_larger = a.most > b.most;
  const Running big = a_larger ? a : b, small = a_larger ? b : a;
  return {big.most, big.sum + small.sum * expf(small.most - big.most)};
}

__global__ void softmax_online(const float* x, float* y, int cols) {
  __shared__ Running of_warp[32];
  const float* row = x + blockIdx.x * cols;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;

  Running mine = {-1e30f, 0.0f};
  for (int c = threadIdx.x; c < cols; c += blockDim.x) mine = merged(mine, {row[c], 1.0f});
  for (int offset = 16; offset > 0; offset >>= 1) {
    Running other;
    other.most = __shfl_xor_sync(0xffffffffu, mine.most, offset);
    other.sum = __shfl_xor_sync(0xffffffffu, mine.sum, offset);
    mine = merged(mine, other);
  }
  if (lane == 0) of_warp[warp] = mine;
  __syncthreads();
  Running whole = of_warp[0];
  for (int w = 1; w < warps; ++w) whole = merged(whole, of_warp[w]);
  const float scale = 1.0f / whole.sum;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    y[blockIdx.x * cols + c] = expf(row[c] - whole.most) * scale;
  }
}

int main() {
  const int rows = 19, cols = 301;
  std::vector<float> x(rows * cols), y(rows * cols, -1.0f);
  for (int i = 0; i < rows * cols; ++i) x[i] = 6.0f * std::sin(0.11f * i) + (i % cols == 7 ? 9 : 0);
  float *dx, *dy;
  OK(cudaMalloc((void**)&dx, x.size() * sizeof(float)));
  OK(cudaMalloc((void**)&dy, y.size() * sizeof(float)));
  OK(cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dy, y.data(), y.size() * sizeof(float), cudaMemcpyHostToDevice));
  softmax_online<<<rows, 96>>>(dx, dy, cols);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost));
  bool ok = true;
  for (int r = 0; r < rows; ++r) {
    double most = -1e30, sum = 0.0;
    for (int c = 0; c < cols; ++c) most = std::fmax(most, x[r * cols + c]);
    for (int c = 0; c < cols; ++c) sum += std::exp(x[r * cols + c] - most);
    for (int c = 0; c < cols; ++c) {
      const double want = std::exp(x[r * cols + c] - most) / sum;
      // A difference rounds at magnitude 24 before exp, and the sum in a dozen merges.
      ok = ok && std::fabs(y[r * cols + c] - want) <= 5e-6 * want;
    }
  }
  OK(cudaFree(dx));
  OK(cudaFree(dy));
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
