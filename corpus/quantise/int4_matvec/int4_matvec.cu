// Matrix times vector with weights of four bits, two in a byte, and a scale for each group of 32.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static void check(cudaError_t e) {
  if (e != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
    std::exit(2);
  }
}

// weights is [rows, cols / 2], scales is [rows, cols / 32]; the low four bits come first, 8 is zero.
__global__ void matvec_int4(const uint8_t* weights, const float* scales, const float* x, float* y,
                            int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  const int lane = threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int group = 0; group < cols / 32; group += 2) {
    const int byte = group * 16 + lane;  // 32 lanes read the 32 bytes of two groups
    if (byte < cols / 2) {
      const int packed = weights[row * (cols / 2) + byte];
      const float scale = scales[row * (cols / 32) + byte / 16];
      sum += scale * (((packed & 15) - 8) * x[2 * byte] + ((packed >> 4) - 8) * x[2 * byte + 1]);
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset, 32);
  }
  if (lane == 0) y[row] = sum;
}

int main() {
  const int rows = 29, cols = 160;  // five groups: the last round is half empty
  std::vector<uint8_t> weights(rows * cols / 2);
  std::vector<float> scales(rows * cols / 32), x(cols), y(rows, NAN);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = (uint8_t)(i * 151 + i / 7);
  for (size_t i = 0; i < scales.size(); ++i) scales[i] = 0.01f * (1 + i % 13);
  for (int c = 0; c < cols; ++c) x[c] = std::sin(0.4f * c);
  uint8_t* dw;
  float *ds, *dx, *dy;
  check(cudaMalloc(&dw, weights.size()));
  check(cudaMalloc(&ds, scales.size() * sizeof(float)));
  check(cudaMalloc(&dx, cols * sizeof(float)));
  check(cudaMalloc(&dy, rows * sizeof(float)));
  check(cudaMemcpy(dw, weights.data(), weights.size(), cudaMemcpyHostToDevice));
  check(cudaMemcpy(ds, scales.data(), scales.size() * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemcpy(dx, x.data(), cols * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemcpy(dy, y.data(), rows * sizeof(float), cudaMemcpyHostToDevice));
  matvec_int4<<<(rows + 3) / 4, dim3(32, 4)>>>(dw, ds, dx, dy, rows, cols);
  check(cudaGetLastError());
  check(cudaMemcpy(y.data(), dy, rows * sizeof(float), cudaMemcpyDeviceToHost));
  bool ok = true;
  for (int r = 0; r < rows; ++r) {
    double want = 0.0, size = 0.0;
    for (int c = 0; c < cols; ++c) {
      const int packed = weights[(r * cols + c) / 2];
      const int q = (c % 2 ? packed >> 4 : packed & 15) - 8;
      const double term = (double)scales[(r * cols + c) / 32] * q * x[c];
      want += term;
      size += std::fabs(term);
    }
    ok = ok && std::fabs(y[r] - want) <= 14 * 6e-8 * size;  // 14 roundings on any path
  }
  check(cudaFree(dw));
  check(cudaFree(ds));
  check(cudaFree(dx));
  check(cudaFree(dy));
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
