// Rotary position embedding (RoPE) on the queries of an attention layer, in place.
//
// Element d of a head is paired with element d + head_dim / 2, and each pair is turned by an angle
// of position * inv_freq[d].

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK_RT(call)                                                       \
  do {                                                                       \
    cudaError_t rt = (call);                                                 \
    if (rt != cudaSuccess) {                                                 \
      fprintf(stderr, "rope: %s at line %d\n", cudaGetErrorString(rt),       \
              __LINE__);                                                     \
      exit(EXIT_FAILURE);                                                    \
    }                                                                        \
  } while (0)

// q is [tokens, heads, head_dim]. One thread turns one pair; blockIdx.y is the token, because all
// pairs of a token share its position.
__global__ void apply_rope(float* q, const int* positions, const float* inv_freq, int heads,
                           int head_dim) {
  const int half_dim = head_dim / 2;
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  const int token = blockIdx.y;
  if (pair >= heads * half_dim) return;

  const int head = pair / half_dim;
  const int d = pair % half_dim;
  const float angle = static_cast<float>(positions[token]) * inv_freq[d];
  const float c = cosf(angle);
  const float s = sinf(angle);

  // Both elements are read before either is written.
  float* row = q + (token * heads + head) * head_dim;
  const float lo = row[d];
  const float hi = row[d + half_dim];
  row[d] = lo * c - hi * s;
  row[d + half_dim] = hi * c + lo * s;
}

int main() {
  const int tokens = 19, heads = 5, head_dim = 72;
  const int half_dim = head_dim / 2;
  const int n = tokens * heads * head_dim;

  std::vector<float> q(n), result(n), inv_freq(half_dim);
  std::vector<int> positions(tokens);
  for (int i = 0; i < n; ++i) q[i] = 0.02f * static_cast<float>(i % 101) - 1.0f;
  for (int d = 0; d < half_dim; ++d) {
    inv_freq[d] = std::pow(10000.0f, -static_cast<float>(d) / static_cast<float>(half_dim));
  }
  // Positions are neither sorted nor unique: several requests share the batch.
  for (int t = 0; t < tokens; ++t) positions[t] = t * 7 % 53;

  float *d_q, *d_inv_freq;
  int* d_positions;
  CHECK_RT(cudaMalloc(&d_q, n * sizeof(float)));
  CHECK_RT(cudaMalloc(&d_inv_freq, half_dim * sizeof(float)));
  CHECK_RT(cudaMalloc(&d_positions, tokens * sizeof(int)));
  CHECK_RT(cudaMemcpy(d_q, q.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK_RT(cudaMemcpy(d_inv_freq, inv_freq.data(), half_dim * sizeof(float),
                      cudaMemcpyHostToDevice));
  CHECK_RT(cudaMemcpy(d_positions, positions.data(), tokens * sizeof(int),
                      cudaMemcpyHostToDevice));

  const int threads = 128;
  const dim3 grid((heads * half_dim + threads - 1) / threads, tokens);
  apply_rope<<<grid, threads>>>(d_q, d_positions, d_inv_freq, heads, head_dim);
  CHECK_RT(cudaGetLastError());
  CHECK_RT(cudaDeviceSynchronize());
  CHECK_RT(cudaMemcpy(result.data(), d_q, n * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK_RT(cudaFree(d_q));
  CHECK_RT(cudaFree(d_inv_freq));
  CHECK_RT(cudaFree(d_positions));

  // The angle reaches 52 radians, so its rounding to float alone moves a sine by 2e-6.
  const double tolerance = 1e-5;
  double worst = 0.0;
  bool ok = true;
  for (int t = 0; t < tokens; ++t) {
    for (int h = 0; h < heads; ++h) {
      const float* in = &q[(t * heads + h) * head_dim];
      const float* out = &result[(t * heads + h) * head_dim];
      for (int d = 0; d < half_dim; ++d) {
        const double angle = (double)positions[t] * inv_freq[d];
        const double lo = in[d] * std::cos(angle) - in[d + half_dim] * std::sin(angle);
        const double hi = in[d + half_dim] * std::cos(angle) + in[d] * std::sin(angle);
        const double error = std::fmax(std::fabs(out[d] - lo), std::fabs(out[d + half_dim] - hi));
        ok = ok && error <= tolerance;  // a NaN fails here
        worst = std::fmax(worst, error);
      }
    }
  }

  printf("largest error %.2e\n", worst);
  printf(ok ? "PASS\n" : "FAIL\n");
  return ok ? 0 : 1;
}
