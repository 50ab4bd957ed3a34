// Sums pieces of a vector of floats: each thread adds up its own elements, a tree in shared memory
// the threads' sums.

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
constexpr int kElements = 500;

// One counter for two loops: each thread's own walk over the block's elements, then the tree's
// steps, in which all threads of the block agree and meet at barriers.
__global__ void strided_sums(const float* in, float* partial, int n) {
  __shared__ float tree[kThreads];
  const int first = blockIdx.x * kElements;
  const int end = first + kElements < n ? first + kElements : n;
  float sum = 0.0f;
  int i;
  for (i = first + threadIdx.x; i < end; i += kThreads) sum += in[i];
  tree[threadIdx.x] = sum;
  __syncthreads();

  for (i = kThreads / 2; i > 0; i /= 2) {
    if (threadIdx.x < i) {
      tree[threadIdx.x] += tree[threadIdx.x + i];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = tree[0];
}

int main() {
  const int n = 10007;
  const int blocks = (n + kElements - 1) / kElements;
  std::vector<float> in(n), partial(blocks, NAN);
  for (int i = 0; i < n; ++i) in[i] = std::sin(0.3f * static_cast<float>(i));

  float *d_in, *d_partial;
  CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_partial, blocks * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_partial, partial.data(), blocks * sizeof(float),
                        cudaMemcpyHostToDevice));
  strided_sums<<<blocks, kThreads>>>(d_in, d_partial, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(partial.data(), d_partial, blocks * sizeof(float),
                        cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_partial));

  bool ok = true;
  for (int b = 0; b < blocks; ++b) {
    double sum = 0.0;
    for (int i = b * kElements; i < n && i < (b + 1) * kElements; ++i) sum += in[i];
    // 500 terms of magnitude one: four a thread, then a tree of seven levels.
    ok = ok && std::fabs(partial[b] - sum) <= 1e-4;
  }
  std::printf("%s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
