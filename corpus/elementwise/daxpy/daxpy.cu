// daxpy: y <- alpha * x + y in double precision.
//
// The inputs are chosen so that the low half of the mantissa matters: a version that drops to
// single precision anywhere misses the check by many orders of magnitude.

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

static void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(status));
    exit(EXIT_FAILURE);
  }
}

// Surplus threads leave at once; the rest handle one element each.
__global__ void daxpy(size_t n, double alpha, const double* __restrict__ x,
                      double* __restrict__ y) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] += alpha * x[i];
}

int main() {
  const size_t n = 10007;
  const size_t bytes = n * sizeof(double);
  const double alpha = 1.0 / 3.0;

  double* x = static_cast<double*>(malloc(bytes));
  double* y = static_cast<double*>(malloc(bytes));
  double* out = static_cast<double*>(malloc(bytes));
  for (size_t i = 0; i < n; ++i) {
    x[i] = 1.0 + static_cast<double>(i) / 7919.0;
    y[i] = std::sin(static_cast<double>(i));
  }

  double *d_x = nullptr, *d_y = nullptr;
  check(cudaMalloc((void**)&d_x, bytes), "cudaMalloc x");
  check(cudaMalloc((void**)&d_y, bytes), "cudaMalloc y");
  check(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice), "copy x");
  check(cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice), "copy y");

  const dim3 block(192);
  const dim3 grid((unsigned)((n + block.x - 1) / block.x));
  daxpy<<<grid, block>>>(n, alpha, d_x, d_y);
  check(cudaGetLastError(), "launch");
  check(cudaMemcpy(out, d_y, bytes, cudaMemcpyDeviceToHost), "copy result");

  double worst = 0.0;
  bool finite = true;
  for (size_t i = 0; i < n; ++i) {
    const double expected = y[i] + alpha * x[i];
    finite = finite && std::isfinite(out[i]);
    worst = std::fmax(worst, std::fabs(out[i] - expected));
  }
  printf("largest error %.3e\n", worst);

  check(cudaFree(d_x), "cudaFree x");
  check(cudaFree(d_y), "cudaFree y");
  free(x);
  free(y);
  free(out);

  // All values are of order one, so this is a few units in the last place of a double.
  const bool ok = finite && worst <= 4e-15;
  printf("%s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
