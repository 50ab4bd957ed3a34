// Activations chosen by a number that each thread computes, from a table of functions.

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

__device__ float half_of(float x) { return 0.5f * x; }
__device__ float square_of(float x) { return x * x; }
__device__ float minus(float x) { return -x; }

struct Activation {
  float (*apply)(float);
  float bias;
};

__global__ void activate(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Activation table[3] = {{half_of, 1.0f}, {square_of, 2.0f}, {minus, 3.0f}};
  const Activation& chosen = table[i % 3];
  out[i] = chosen.apply(i) + chosen.bias;
}

int main() {
  const int n = 200;
  std::vector<float> out(n);
  float* d_out;
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(float)));
  activate<<<(n + 63) / 64, 64>>>(d_out, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_out));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const float expected = i % 3 == 0 ? 0.5f * i + 1.0f : i % 3 == 1 ? static_cast<float>(i) * i + 2.0f : 3.0f - i;
    if (out[i] != expected) ++wrong;
  }
  std::printf("%d values are wrong\n%s\n", wrong, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
