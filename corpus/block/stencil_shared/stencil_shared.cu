// A weighted mean over a window of a line. Each block stages its stretch with a halo on both sides
// in dynamic shared memory; beyond the ends the line goes on with its last values.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECKED(call)                                                            \
  do {                                                                           \
    if (cudaError_t e = (call)) {                                                \
      std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      std::exit(2);                                                              \
    }                                                                            \
  } while (0)

constexpr int kRadius = 5;
__constant__ double weights[2 * kRadius + 1];

__device__ int inside(int i, int n) { return min(max(i, 0), n - 1); }

__global__ void smooth(const double* in, double* out, int n) {
  extern __shared__ double line[];
  const int first = blockIdx.x * blockDim.x;
  const int i = first + threadIdx.x;
  const int at = threadIdx.x + kRadius;

  line[at] = in[inside(i, n)];
  if (threadIdx.x < kRadius) {
    line[at - kRadius] = in[inside(i - kRadius, n)];
    line[at + blockDim.x] = in[inside(i + static_cast<int>(blockDim.x), n)];
  }
  __syncthreads();
  if (i >= n) return;

  double sum = 0.0;
  for (int k = -kRadius; k <= kRadius; ++k) sum += weights[k + kRadius] * line[at + k];
  out[i] = sum;
}

int main() {
  const int n = 1337, threads = 80;
  std::vector<double> in(n), out(n, NAN), w(2 * kRadius + 1);
  double total = 0.0;
  for (int k = -kRadius; k <= kRadius; ++k) total += w[k + kRadius] = kRadius + 1 - std::abs(k);
  for (double& v : w) v /= total;
  for (int i = 0; i < n; ++i) in[i] = std::sin(0.05 * i) + (i % 4) * 0.01;

  double *d_in, *d_out;
  CHECKED(cudaMalloc(&d_in, n * sizeof(double)));
  CHECKED(cudaMalloc(&d_out, n * sizeof(double)));
  CHECKED(cudaMemcpyToSymbol(weights, w.data(), w.size() * sizeof(double)));
  CHECKED(cudaMemcpy(d_in, in.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  CHECKED(cudaMemcpy(d_out, out.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  smooth<<<(n + threads - 1) / threads, threads, (threads + 2 * kRadius) * sizeof(double)>>>(
      d_in, d_out, n);
  CHECKED(cudaGetLastError());
  CHECKED(cudaMemcpy(out.data(), d_out, n * sizeof(double), cudaMemcpyDeviceToHost));
  CHECKED(cudaFree(d_in));
  CHECKED(cudaFree(d_out));

  bool ok = true;
  for (int i = 0; i < n; ++i) {
    long double want = 0.0L;
    for (int k = -kRadius; k <= kRadius; ++k) {
      int j = i + k;
      if (j < 0) j = 0;
      if (j > n - 1) j = n - 1;
      want += static_cast<long double>(w[k + kRadius]) * in[j];
    }
    ok = ok && std::fabs(out[i] - static_cast<double>(want)) <= 1e-14;
  }
  std::printf("%s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
