// Attention of one head without the matrix of scores: keys and values pass through shared memory in
// tiles, each thread keeps a query with its running maximum and sum. Causal.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

constexpr int kQueries = 32, kKeys = 16, kDim = 24;

static void require(cudaError_t status) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(2);
  }
}

// q, k, v and o are [heads, tokens, kDim]; blockIdx.y is the head.
__global__ void attend(const float* q, const float* k, const float* v, float* o, int tokens,
                       float scale) {
  __shared__ float keys[kKeys][kDim];
  __shared__ float values[kKeys][kDim];
  const size_t head = (size_t)blockIdx.y * tokens * kDim;
  const int row = blockIdx.x * kQueries + threadIdx.x;
  const int last = min(tokens, (int)(blockIdx.x + 1) * kQueries);

  float query[kDim], sum[kDim];
  for (int d = 0; d < kDim; ++d) {
    query[d] = row < tokens ? q[head + row * kDim + d] * scale : 0.0f;
    sum[d] = 0.0f;
  }
  float most = -1e30f, weight = 0.0f;
  for (int start = 0; start < last; start += kKeys) {
    for (int i = threadIdx.x; i < kKeys * kDim; i += kQueries) {
      const int token = start + i / kDim;
      keys[i / kDim][i % kDim] = token < tokens ? k[head + token * kDim + i % kDim] : 0.0f;
      values[i / kDim][i % kDim] = token < tokens ? v[head + token * kDim + i % kDim] : 0.0f;
    }
    __syncthreads();
    for (int j = 0; j < kKeys; ++j) {
      if (start + j > row || start + j >= tokens) break;
      float score = 0.0f;
      for (int d = 0; d < kDim; ++d) score += query[d] * keys[j][d];
      if (score > most) {
        const float shrink = expf(most - score);
        weight *= shrink;
        for (int d = 0; d < kDim; ++d) sum[d] *= shrink;
        most = score;
      }
      const float p = expf(score - most);
      weight += p;
      for (int d = 0; d < kDim; ++d) sum[d] += p * values[j][d];
    }
    __syncthreads();
  }
  if (row < tokens) {
    for (int d = 0; d < kDim; ++d) o[head + row * kDim + d] = sum[d] / weight;
  }
}

int main() {
  const int heads = 2, tokens = 53, n = heads * tokens * kDim;
  const float scale = 1.0f / std::sqrt((float)kDim);
  std::vector<float> q(n), k(n), v(n), o(n, NAN);
  for (int i = 0; i < n; ++i) {
    q[i] = std::sin(0.31f * i);
    k[i] = std::cos(0.17f * i);
    v[i] = std::sin(0.05f * i + 1.0f);
  }
  float* d[4];
  for (float*& p : d) require(cudaMalloc(&p, n * sizeof(float)));
  require(cudaMemcpy(d[0], q.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  require(cudaMemcpy(d[1], k.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  require(cudaMemcpy(d[2], v.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  require(cudaMemcpy(d[3], o.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const dim3 grid((tokens + kQueries - 1) / kQueries, heads);
  attend<<<grid, kQueries>>>(d[0], d[1], d[2], d[3], tokens, scale);
  require(cudaGetLastError());
  require(cudaMemcpy(o.data(), d[3], n * sizeof(float), cudaMemcpyDeviceToHost));
  bool ok = true;
  for (int h = 0; h < heads; ++h) {
    for (int t = 0; t < tokens; ++t) {
      std::vector<double> p(t + 1);
      double whole = 0.0;
      for (int j = 0; j <= t; ++j) {
        double s = 0.0;
        for (int c = 0; c < kDim; ++c) {
          s += (double)q[(h * tokens + t) * kDim + c] * k[(h * tokens + j) * kDim + c];
        }
        p[j] = std::exp(s * scale);
        whole += p[j];
      }
      for (int c = 0; c < kDim; ++c) {
        double want = 0.0;
        for (int j = 0; j <= t; ++j) want += p[j] / whole * v[(h * tokens + j) * kDim + c];
        // Weights add to one and values are at most one: errors are of the scores' size.
        ok = ok && std::fabs(o[(h * tokens + t) * kDim + c] - want) <= 5e-6;
      }
    }
  }
  for (float* p : d) require(cudaFree(p));
  std::printf(ok ? "PASS\n" : "FAIL\n");
  return ok ? 0 : 1;
}
