// Group normalisation of [samples, channels, length]: mean and variance of each group by Welford's
// method, merged over the block in a tree.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

constexpr int THREADS = 64;

struct Moments {
  float mean, m2, count;
};

__device__ Moments merge(const Moments& a, const Moments& b) {
  Moments r;
  r.count = a.count + b.count;
  if (r.count == 0.0f) return a;
  const float delta = b.mean - a.mean;
  r.mean = a.mean + delta * (b.count / r.count);
  r.m2 = a.m2 + b.m2 + delta * delta * (a.count * b.count / r.count);
  return r;
}

// One block a group of one sample; gamma and beta have one entry a channel.
__global__ void group_norm(const float* x, const float* gamma, const float* beta, float* y,
                           int channels, int groups, int length, float epsilon) {
  __shared__ Moments tree[THREADS];
  const int sample = blockIdx.x / groups, group = blockIdx.x % groups;
  const int per_group = channels / groups;
  const int size = per_group * length;
  const int base = (sample * channels + group * per_group) * length;

  Moments mine = {0.0f, 0.0f, 0.0f};
  for (int i = threadIdx.x; i < size; i += THREADS) {
    const float v = x[base + i];
    mine.count += 1.0f;
    const float delta = v - mine.mean;
    mine.mean += delta / mine.count;
    mine.m2 += delta * (v - mine.mean);
  }
  tree[threadIdx.x] = mine;
  __syncthreads();
#pragma unroll
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) tree[threadIdx.x] = merge(tree[threadIdx.x], tree[threadIdx.x + half]);
    __syncthreads();
  }
  const float mean = tree[0].mean;
  const float scale = rsqrtf(tree[0].m2 / tree[0].count + epsilon);
  for (int i = threadIdx.x; i < size; i += THREADS) {
    const int channel = group * per_group + i / length;
    y[base + i] = (x[base + i] - mean) * scale * gamma[channel] + beta[channel];
  }
}

#define CK(x)                          \
  do {                                 \
    if ((x) != cudaSuccess) {          \
      std::puts("runtime call failed"); \
      std::exit(2);                    \
    }                                  \
  } while (false)

int main() {
  const int samples = 3, channels = 12, groups = 4, length = 37, n = samples * channels * length;
  std::vector<float> x(n), gamma(channels), beta(channels), y(n, NAN);
  for (int i = 0; i < n; ++i) x[i] = 3.0f + std::sin(0.13f * i) * (1 + i % 3);
  for (int c = 0; c < channels; ++c) gamma[c] = 0.5f + c * 0.1f, beta[c] = c - 4.0f;
  float *dx, *dg, *db, *dy;
  CK(cudaMalloc(&dx, n * sizeof(float)));
  CK(cudaMalloc(&dy, n * sizeof(float)));
  CK(cudaMalloc(&dg, channels * sizeof(float)));
  CK(cudaMalloc(&db, channels * sizeof(float)));
  CK(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CK(cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CK(cudaMemcpy(dg, gamma.data(), channels * sizeof(float), cudaMemcpyHostToDevice));
  CK(cudaMemcpy(db, beta.data(), channels * sizeof(float), cudaMemcpyHostToDevice));
  group_norm<<<samples * groups, THREADS>>>(dx, dg, db, dy, channels, groups, length, 1e-5f);
  CK(cudaGetLastError());
  CK(cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost));
  bool ok = true;
  const int size = channels / groups * length;
  for (int g = 0; g < samples * groups; ++g) {
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < size; ++i) sum += x[g * size + i];
    for (int i = 0; i < size; ++i) squares += std::pow(x[g * size + i] - sum / size, 2);
    const double scale = 1.0 / std::sqrt(squares / size + 1e-5);
    for (int i = 0; i < size; ++i) {
      const int c = (g * size + i) / length % channels;
      const double hat = (x[g * size + i] - sum / size) * scale;
      // Values near 3 with a spread of 2 lose two bits in the difference to the mean.
      ok = ok && std::fabs(y[g * size + i] - (hat * gamma[c] + beta[c])) <= 2e-5;
    }
  }
  CK(cudaFree(dx));
  CK(cudaFree(dy));
  CK(cudaFree(dg));
  CK(cudaFree(db));
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
