// A grid-stride loop as a class that a range-based for goes over.

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

// The indices start, start + step, ... below end.
struct Strided {
  struct Iterator {
    int at, step;
    __device__ int operator*() const { return at; }
    __device__ Iterator& operator++() {
      at += step;
      return *this;
    }
    __device__ bool operator!=(const Iterator& end) const { return at < end.at; }
  };
  int start, step, stop;
  __device__ Iterator begin() const { return Iterator{start, step}; }
  __device__ Iterator end() const { return Iterator{stop, 0}; }
};

__global__ void scale_strided(float* x, float a, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i : Strided{thread, static_cast<int>(gridDim.x * blockDim.x), n}) x[i] *= a;
}

int main() {
  const int n = 1000;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = 0.25f * i;

  float* d_x;
  CUDA_CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  scale_strided<<<2, 128>>>(d_x, 3.0f, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(x.data(), d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_x));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] != 0.25f * i * 3.0f) ++wrong;
  }
  std::printf("%d elements are wrong\n%s\n", wrong, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
