// Sums over an implicit binary tree, each thread from a node of its own down.

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

__device__ float tree_sum(int node, int n) {
  if (node >= n) return 0.0f;
  return node + tree_sum(2 * node + 1, n) + tree_sum(2 * node + 2, n);
}

__global__ void subtree_sums(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tree_sum(i, n);
}

float tree_sum_on_host(int node, int n) {
  if (node >= n) return 0.0f;
  return node + tree_sum_on_host(2 * node + 1, n) + tree_sum_on_host(2 * node + 2, n);
}

int main() {
  const int n = 200;
  std::vector<float> out(n);
  float* d_out;
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(float)));
  subtree_sums<<<(n + 63) / 64, 64>>>(d_out, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_out));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const float expected = tree_sum_on_host(i, n);
    if (out[i] != expected) ++wrong;
  }
  std::printf("%d values are wrong\n%s\n", wrong, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
