// Objects that a thread builds in a buffer of its own, one after another.

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

#include <new>

struct Sum {
  float total;
  __device__ explicit Sum(float start) : total(start) {}
  __device__ void add(float x) { total += x; }
};
struct Product {
  float total;
  __device__ explicit Product(float start) : total(start) {}
  __device__ void multiply(float x) { total *= x; }
};

__global__ void reuse_buffer(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  alignas(Sum) unsigned char buffer[sizeof(Sum)];
  Sum* sum = new (buffer) Sum(i);
  sum->add(1.0f);
  const float first = sum->total;
  Product* product = new (buffer) Product(first);
  product->multiply(2.0f);
  out[i] = product->total;
}

int main() {
  const int n = 200;
  std::vector<float> out(n);
  float* d_out;
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(float)));
  reuse_buffer<<<(n + 63) / 64, 64>>>(d_out, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_out));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const float expected = 2.0f * (i + 1);
    if (out[i] != expected) ++wrong;
  }
  std::printf("%d values are wrong\n%s\n", wrong, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
