// RMS normalisation of half-precision rows: one block a row, squares added up in single precision
// by a tree, the factor handed to all threads through shared memory.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

static void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(2);
  }
}

// out[r, c] = x[r, c] / sqrt(mean of squares of row r + epsilon) * gain[c]
__global__ void rmsnorm(const half* x, const half* gain, half* out, int cols, float epsilon) {
  __shared__ float squares[128];
  __shared__ float factor;
  const half* row = x + blockIdx.x * cols;

  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const float v = __half2float(row[c]);
    sum += v * v;
  }
  squares[threadIdx.x] = sum;
  __syncthreads();
  for (int half_size = 64; half_size > 0; half_size /= 2) {
    if (threadIdx.x < half_size) squares[threadIdx.x] += squares[threadIdx.x + half_size];
    __syncthreads();
  }
  if (threadIdx.x == 0) factor = 1.0f / sqrtf(squares[0] / cols + epsilon);
  __syncthreads();

  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const float v = __half2float(row[c]) * factor * __half2float(gain[c]);
    out[blockIdx.x * cols + c] = __float2half(v);
  }
}

int main() {
  const int rows = 7, cols = 301;
  const float epsilon = 1e-5f;
  std::vector<half> x(rows * cols), gain(cols), out(rows * cols, __float2half(NAN));
  for (int i = 0; i < rows * cols; ++i) x[i] = __float2half(2.0f * std::sin(0.31f * i) + i / cols);
  for (int c = 0; c < cols; ++c) gain[c] = __float2half(0.5f + (c % 9) / 8.0f);
  half *d_x, *d_gain, *d_out;
  check(cudaMalloc(&d_x, x.size() * sizeof(half)), "x");
  check(cudaMalloc(&d_gain, gain.size() * sizeof(half)), "gain");
  check(cudaMalloc(&d_out, out.size() * sizeof(half)), "out");
  check(cudaMemcpy(d_x, x.data(), x.size() * sizeof(half), cudaMemcpyHostToDevice), "x");
  check(cudaMemcpy(d_gain, gain.data(), gain.size() * sizeof(half), cudaMemcpyHostToDevice), "gain");
  check(cudaMemcpy(d_out, out.data(), out.size() * sizeof(half), cudaMemcpyHostToDevice), "out");
  rmsnorm<<<rows, 128>>>(d_x, d_gain, d_out, cols, epsilon);
  check(cudaGetLastError(), "rmsnorm");
  check(cudaMemcpy(out.data(), d_out, out.size() * sizeof(half), cudaMemcpyDeviceToHost), "out");
  check(cudaFree(d_x), "free");
  check(cudaFree(d_gain), "free");
  check(cudaFree(d_out), "free");

  bool ok = true;
  for (int r = 0; r < rows; ++r) {
    double squares = 0.0;
    for (int c = 0; c < cols; ++c) {
      const double v = __half2float(x[r * cols + c]);
      squares += v * v;
    }
    for (int c = 0; c < cols; ++c) {
      const double scale = __half2float(gain[c]) / std::sqrt(squares / cols + epsilon);
      const double want = __half2float(x[r * cols + c]) * scale;
      // One rounding to half, 2**-11 of the value, and a little for the sum in single precision.
      ok = ok && std::fabs(__half2float(out[r * cols + c]) - want) <= 5.0e-4 * std::fabs(want) + 1e-6;
    }
  }
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
