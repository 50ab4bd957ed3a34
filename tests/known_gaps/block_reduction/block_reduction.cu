// Sums a vector of floats with a tree in shared memory: one partial sum per block, the rest on the
// host.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                           \
  do {                                                                             \
    cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                   \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(status)); \
      std::exit(2);                                                                \
    }                                                                              \
  } while (0)

constexpr int kThreads = 128;

// partial[b] is the sum of the elements of block b. Threads past the end contribute zero, so every
// thread of the block reaches every barrier.
__global__ void block_sums(const float* in, float* partial, int n) {
  __shared__ float tree[kThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tree[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();

  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      tree[threadIdx.x] += tree[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = tree[0];
}

int main() {
  const int n = 10007;
  const int blocks = (n + kThreads - 1) / kThreads;
  std::vector<float> in(n), partial(blocks, NAN);
  for (int i = 0; i < n; ++i) in[i] = std::sin(0.3f * static_cast<float>(i));

  float *d_in, *d_partial;
  CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_partial, blocks * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_partial, partial.data(), blocks * sizeof(float),
                        cudaMemcpyHostToDevice));
  block_sums<<<blocks, kThreads>>>(d_in, d_partial, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(partial.data(), d_partial, blocks * sizeof(float),
                        cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_partial));

  bool ok = true;
  for (int b = 0; b < blocks; ++b) {
    double sum = 0.0;
    for (int i = b * kThreads; i < n && i < (b + 1) * kThreads; ++i) sum += in[i];
    // 128 terms of magnitude one, added in a tree of seven levels.
    ok = ok && std::fabs(partial[b] - sum) <= 1e-4;
  }
  std::printf("%s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
