// saxpy: y <- a * x + y for single-precision vectors.
//
// The length is no multiple of the block size, so the last block runs with idle threads.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

// Stops the program at the first failing runtime call and says where it was.
#define CUDA_CHECK(call)                                                          \
  do {                                                                            \
    cudaError_t status_ = (call);                                                 \
    if (status_ != cudaSuccess) {                                                 \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,          \
                   cudaGetErrorString(status_));                                  \
      std::exit(2);                                                               \
    }                                                                             \
  } while (0)

// One thread per element. x is read once, y is read and written in place.
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {  // the last block is only partly filled
    y[i] = a * x[i] + y[i];
  }
}

int main() {
  const int n = 20011;
  const float a = 2.5f;
  const size_t bytes = n * sizeof(float);

  std::vector<float> x(n), y(n), result(n);
  for (int i = 0; i < n; ++i) {
    x[i] = 0.001f * static_cast<float>(i % 1999) - 1.0f;
    y[i] = 3.0f - 0.0005f * static_cast<float>(i);
  }

  float* d_x = nullptr;
  float* d_y = nullptr;
  CUDA_CHECK(cudaMalloc(&d_x, bytes));
  CUDA_CHECK(cudaMalloc(&d_y, bytes));
  CUDA_CHECK(cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_y, y.data(), bytes, cudaMemcpyHostToDevice));

  const int threads = 256;
  const int blocks = (n + threads - 1) / threads;
  saxpy<<<blocks, threads>>>(n, a, d_x, d_y);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());

  CUDA_CHECK(cudaMemcpy(result.data(), d_y, bytes, cudaMemcpyDeviceToHost));

  // One multiply and one add: the result lies within a few units in the last place, whether or
  // not the compiler fuses them.
  int bad = 0;
  for (int i = 0; i < n; ++i) {
    const float expected = a * x[i] + y[i];
    const float error = std::fabs(result[i] - expected);
    if (!(error <= 1e-6f + 1e-6f * std::fabs(expected))) {
      if (bad < 5) std::printf("y[%d] = %g, expected %g\n", i, result[i], expected);
      ++bad;
    }
  }

  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));

  std::printf("saxpy: %s\n", bad == 0 ? "PASS" : "FAIL");
  return bad == 0 ? 0 : 1;
}
