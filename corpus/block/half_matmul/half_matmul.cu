// A layer of a network: relu(A * W^T + bias) with half factors and float sums. Tiles of 32 x 32 sums,
// four a thread, 16 deep; no size is a multiple of the tile.

#include <cmath>
#include <cstdio>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kSide = 32, kDepth = 16, kThreads = 16, kEach = kSide / kThreads;

// a is [m, k], w is [n, k], bias is [n], out is [m, n], all row-major.
__global__ void layer(const __half* __restrict__ a, const __half* __restrict__ w,
                      const float* __restrict__ bias, float* __restrict__ out, int m, int n,
                      int k) {
  __shared__ __half rows[kSide][kDepth];
  __shared__ __half units[kSide][kDepth + 2];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row0 = blockIdx.y * kSide, unit0 = blockIdx.x * kSide;
  const __half zero = __float2half(0.0f);

  float sum[kEach][kEach] = {};
  for (int start = 0; start < k; start += kDepth) {
    for (int i = ty; i < kSide; i += kThreads) {
      const bool inside = start + tx < k;
      if (inside && row0 + i < m) {
        rows[i][tx] = a[(row0 + i) * k + start + tx];
      } else {
        rows[i][tx] = zero;
      }
      units[i][tx] = inside && unit0 + i < n ? w[(unit0 + i) * k + start + tx] : zero;
    }
    __syncthreads();
    for (int d = 0; d < kDepth; ++d) {
      for (int i = 0; i < kEach; ++i) {
        for (int j = 0; j < kEach; ++j) {
          sum[i][j] += __half2float(rows[ty + i * kThreads][d]) *
                       __half2float(units[tx + j * kThreads][d]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kEach; ++i) {
    for (int j = 0; j < kEach; ++j) {
      const int row = row0 + ty + i * kThreads, unit = unit0 + tx + j * kThreads;
      if (row < m && unit < n) out[row * n + unit] = fmaxf(sum[i][j] + bias[unit], 0.0f);
    }
  }
}

int main() {
  const int m = 45, n = 70, k = 52;
  std::vector<__half> a(m * k), w(n * k);
  std::vector<float> bias(n), out(m * n);
  for (int i = 0; i < m * k; ++i) a[i] = __float2half((i * 7 % 23 - 11) / 16.0f);
  for (int i = 0; i < n * k; ++i) w[i] = __float2half(std::sin(0.37f * i));
  for (int i = 0; i < n; ++i) bias[i] = 0.25f * (i % 5) - 0.5f;

  __half *d_a, *d_w;
  float *d_bias, *d_out;
  if (cudaMalloc(&d_a, a.size() * sizeof(__half)) || cudaMalloc(&d_w, w.size() * sizeof(__half)) ||
      cudaMalloc(&d_bias, n * sizeof(float)) || cudaMalloc(&d_out, out.size() * sizeof(float))) {
    std::printf("no memory\n");
    return 2;
  }
  cudaMemcpy(d_a, a.data(), a.size() * sizeof(__half), cudaMemcpyHostToDevice);
  cudaMemcpy(d_w, w.data(), w.size() * sizeof(__half), cudaMemcpyHostToDevice);
  cudaMemcpy(d_bias, bias.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  const dim3 grid((n + kSide - 1) / kSide, (m + kSide - 1) / kSide);
  layer<<<grid, dim3(kThreads, kThreads)>>>(d_a, d_w, d_bias, d_out, m, n, k);
  if (cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost)) return 2;

  int wrong = 0;
  for (int row = 0; row < m; ++row) {
    for (int unit = 0; unit < n; ++unit) {
      double sum = bias[unit], size = std::fabs(bias[unit]);
      for (int d = 0; d < k; ++d) {
        const double term =
            static_cast<double>(__half2float(a[row * k + d])) * __half2float(w[unit * k + d]);
        sum += term;
        size += std::fabs(term);
      }
      const double want = sum > 0.0 ? sum : 0.0;
      wrong += !(std::fabs(out[row * n + unit] - want) <= (k + 2) * 6e-8 * size);
    }
  }
  cudaFree(d_a);
  cudaFree(d_w);
  cudaFree(d_bias);
  cudaFree(d_out);
  std::printf("%s\n", wrong ? "FAIL" : "PASS");
  return wrong ? 1 : 0;
}
