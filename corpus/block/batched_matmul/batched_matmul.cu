// A batch of products op(A) * op(B), where op turns a matrix or leaves it, with a bias for each row and
// a leaky step behind. Every batch has its own matrices, a stride apart.

#include <cmath>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

constexpr int kTile = 16;

// op(a) is [m, k] and op(b) is [k, n]; c is [batch, m, n]. blockIdx.z is the batch.
template <bool TurnA, bool TurnB>
__global__ void batched(const float* __restrict__ a, const float* __restrict__ b,
                        const float* __restrict__ bias, float* __restrict__ c, int m, int n, int k) {
  __shared__ float left[kTile][kTile + 1];
  __shared__ float right[kTile][kTile + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, col = blockIdx.x * kTile + tx;
  const float* my_a = a + static_cast<size_t>(blockIdx.z) * m * k;
  const float* my_b = b + static_cast<size_t>(blockIdx.z) * k * n;

  float sum = 0.0f;
  for (int start = 0; start < k; start += kTile) {
    const int a_col = start + tx, b_row = start + ty;
    left[ty][tx] = 0.0f;
    right[ty][tx] = 0.0f;
    if (row < m && a_col < k) left[ty][tx] = TurnA ? my_a[a_col * m + row] : my_a[row * k + a_col];
    if (b_row < k && col < n) right[ty][tx] = TurnB ? my_b[col * k + b_row] : my_b[b_row * n + col];
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kTile; ++d) sum += left[ty][d] * right[d][tx];
    __syncthreads();
  }
  if (row < m && col < n) {
    const float v = sum + bias[row];
    c[(static_cast<size_t>(blockIdx.z) * m + row) * n + col] = v > 0.0f ? v : 0.125f * v;
  }
}

template <bool TurnA, bool TurnB>
static int differences(const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<float>& bias, int batch, int m, int n, int k) {
  std::vector<float> c(batch * m * n, NAN);
  float *d_a, *d_b, *d_bias, *d_c;
  cudaMalloc(&d_a, a.size() * sizeof(float));
  cudaMalloc(&d_b, b.size() * sizeof(float));
  cudaMalloc(&d_bias, bias.size() * sizeof(float));
  cudaMalloc(&d_c, c.size() * sizeof(float));
  cudaMemcpy(d_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_bias, bias.data(), bias.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_c, c.data(), c.size() * sizeof(float), cudaMemcpyHostToDevice);
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile, batch);
  batched<TurnA, TurnB><<<grid, dim3(kTile, kTile)>>>(d_a, d_b, d_bias, d_c, m, n, k);
  cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_bias);
  cudaFree(d_c);

  int wrong = 0;
  for (int z = 0; z < batch; ++z) {
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = bias[i], size = std::fabs(bias[i]);
        for (int d = 0; d < k; ++d) {
          const double x = a[z * m * k + (TurnA ? d * m + i : i * k + d)];
          const double y = b[z * k * n + (TurnB ? j * k + d : d * n + j)];
          sum += x * y;
          size += std::fabs(x * y);
        }
        const double want = sum > 0 ? sum : 0.125 * sum;
        // k products and k + 1 additions, each off by half a unit at most.
        wrong += !(std::fabs(c[(z * m + i) * n + j] - want) <= (2 * k + 2) * 6e-8 * size);
      }
    }
  }
  return wrong;
}

int main() {
  const int batch = 3, m = 21, n = 37, k = 27;
  std::vector<float> a(batch * m * k), b(batch * k * n), bias(m);
  for (size_t i = 0; i < a.size(); ++i) a[i] = std::cos(0.9f * i);
  for (size_t i = 0; i < b.size(); ++i) b[i] = (static_cast<int>(i * 5 % 31) - 15) / 16.0f;
  for (int i = 0; i < m; ++i) bias[i] = 0.5f - 0.0625f * i;
  int wrong = differences<false, false>(a, b, bias, batch, m, n, k);
  wrong += differences<true, false>(a, b, bias, batch, m, n, k);
  wrong += differences<false, true>(a, b, bias, batch, m, n, k);
  std::puts(wrong ? "FAIL" : "PASS");
  return wrong ? 1 : 0;
}
