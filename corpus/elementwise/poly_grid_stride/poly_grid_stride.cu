// Evaluates one polynomial of degree 7 at many points with Horner's scheme.
//
// The coefficients sit in constant memory, because every thread reads the same one at the same
// time. A grid-stride loop lets a fixed, small grid cover any number of points.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

constexpr int kDegree = 7;

__constant__ float c_coef[kDegree + 1];

inline void cuda_check(cudaError_t status, const char* file, int line) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s(%d): %s\n", file, line, cudaGetErrorString(status));
    std::exit(static_cast<int>(status));
  }
}
#define CUDA_CHECK(x) cuda_check((x), __FILE__, __LINE__)

// out[i] = c0 + c1 * x[i] + ... + c7 * x[i]^7
__global__ void eval_polynomial(const float* x, float* out, int count) {
  const int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    const float v = x[i];
    float acc = c_coef[kDegree];
#pragma unroll
    for (int k = kDegree - 1; k >= 0; --k) {
      acc = fmaf(acc, v, c_coef[k]);
    }
    out[i] = acc;
  }
}

int main() {
  const int count = 30011;
  const float coef[kDegree + 1] = {0.5f, -1.25f, 0.75f, 2.0f, -0.125f, 0.3f, -0.0625f, 0.01f};

  std::vector<float> x(count), out(count, 0.0f);
  for (int i = 0; i < count; ++i) {
    x[i] = -2.0f + 4.0f * static_cast<float>(i) / static_cast<float>(count - 1);
  }

  CUDA_CHECK(cudaMemcpyToSymbol(c_coef, coef, sizeof(coef)));

  float* d_x;
  float* d_out;
  CUDA_CHECK(cudaMalloc(&d_x, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_out, count * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_x, x.data(), count * sizeof(float), cudaMemcpyHostToDevice));

  // 24 blocks of 128 threads: every thread walks over nine or ten points.
  eval_polynomial<<<24, 128>>>(d_x, d_out, count);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, count * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_out));

  // Reference in double. The bound is relative to the sum of the magnitudes of the terms, which
  // is what limits Horner's scheme where the terms cancel.
  int mismatches = 0;
  for (int i = 0; i < count; ++i) {
    double expected = 0.0, magnitude = 0.0, power = 1.0;
    for (int k = 0; k <= kDegree; ++k) {
      expected += coef[k] * power;
      magnitude += coef[k] * power < 0.0 ? -coef[k] * power : coef[k] * power;
      power *= x[i];
    }
    const double diff = out[i] - expected;
    if (!(diff <= 1e-6 * magnitude && -diff <= 1e-6 * magnitude)) ++mismatches;
  }

  if (mismatches != 0) {
    std::printf("%d of %d points are wrong\nFAIL\n", mismatches, count);
    return 1;
  }
  std::printf("PASS\n");
  return 0;
}
