// A pair of mixins that a struct takes its members from.

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

struct Scaled {
  float scale;
  __device__ float scaled(float x) const { return scale * x; }
};
struct Shifted {
  float shift;
  __device__ float shifted(float x) const { return x + shift; }
};
struct Affine : Scaled, Shifted {
  __device__ float operator()(float x) const { return shifted(scaled(x)); }
};

__global__ void affine(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Affine map;
  map.scale = 3.0f;
  map.shift = i;
  out[i] = map(2.0f);
}

int main() {
  const int n = 200;
  std::vector<float> out(n);
  float* d_out;
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(float)));
  affine<<<(n + 63) / 64, 64>>>(d_out, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_out));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const float expected = 6.0f + i;
    if (out[i] != expected) ++wrong;
  }
  std::printf("%d values are wrong\n%s\n", wrong, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
