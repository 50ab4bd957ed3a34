// Sum and largest magnitude of every row of a matrix, one thread per row.
//
// With a few hundred short rows this simple form is good enough, and its order of summation is the
// same on every run.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

// matrix is [rows, cols], row-major; sums and peaks have one entry per row.
__global__ void row_sums(const float* matrix, float* sums, float* peaks, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    const float* p = matrix + row * cols;
    float sum = 0.0f;
    float peak = 0.0f;
    for (int c = 0; c < cols; c++) {
      const float v = __ldg(&p[c]);  // through the read-only cache
      sum += v;
      peak = fmaxf(peak, fabsf(v));
    }
    sums[row] = sum;
    peaks[row] = peak;
  }
}

// Returns the error code of the first step that fails.
static cudaError_t compute(const std::vector<float>& matrix, std::vector<float>& sums,
                           std::vector<float>& peaks, int rows, int cols) {
  float *d_matrix = nullptr, *d_sums = nullptr, *d_peaks = nullptr;
  cudaError_t status = cudaMalloc(&d_matrix, matrix.size() * sizeof(float));
  if (status == cudaSuccess) status = cudaMalloc(&d_sums, rows * sizeof(float));
  if (status == cudaSuccess) status = cudaMalloc(&d_peaks, rows * sizeof(float));
  if (status == cudaSuccess) {
    status = cudaMemcpy(d_matrix, matrix.data(), matrix.size() * sizeof(float),
                        cudaMemcpyHostToDevice);
  }
  if (status == cudaSuccess) {
    const int threads = 64;  // few rows: small blocks spread them over more multiprocessors
    row_sums<<<(rows + threads - 1) / threads, threads>>>(d_matrix, d_sums, d_peaks, rows, cols);
    status = cudaGetLastError();
  }
  if (status == cudaSuccess) {
    status = cudaMemcpy(sums.data(), d_sums, rows * sizeof(float), cudaMemcpyDeviceToHost);
  }
  if (status == cudaSuccess) {
    status = cudaMemcpy(peaks.data(), d_peaks, rows * sizeof(float), cudaMemcpyDeviceToHost);
  }
  cudaFree(d_matrix);
  cudaFree(d_sums);
  cudaFree(d_peaks);
  return status;
}

int main() {
  const int rows = 301, cols = 77;
  std::vector<float> matrix(rows * cols), sums(rows, NAN), peaks(rows, NAN);
  for (int i = 0; i < rows * cols; ++i) {
    const float drift = 0.01f * static_cast<float>(i % cols);
    matrix[i] = 5.0f * std::sin(1.7f * static_cast<float>(i)) + drift;
  }

  const cudaError_t status = compute(matrix, sums, peaks, rows, cols);
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return 2;
  }

  int wrong = 0;
  for (int r = 0; r < rows; ++r) {
    double sum = 0.0, magnitude = 0.0;
    float peak = 0.0f;
    for (int c = 0; c < cols; ++c) {
      const float v = matrix[r * cols + c];
      sum += v;
      magnitude += std::fabs(v);
      if (std::fabs(v) > peak) peak = std::fabs(v);
    }
    // A sum of n floats, in any order, is off by at most n rounding units of the summed magnitudes;
    // a largest value is exact.
    const double bound = cols * 6e-8 * magnitude;
    if (!(std::fabs(sums[r] - sum) <= bound) || peaks[r] != peak) {
      if (wrong < 4) {
        std::printf("row %d: %g %g, expected %g %g\n", r, sums[r], peaks[r], sum, peak);
      }
      ++wrong;
    }
  }

  std::printf("%d of %d rows are wrong\n", wrong, rows);
  std::printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
