// The k largest elements of each row, in order: k rounds of a block-wide maximum, each of which takes
// out what it found.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

constexpr int kThreads = 64;

#define CHECKED(call)                                                  \
  do {                                                                 \
    if (cudaError_t e = (call)) {                                      \
      std::fprintf(stderr, #call ": %s\n", cudaGetErrorString(e));     \
      std::exit(2);                                                    \
    }                                                                  \
  } while (0)

// out is [rows, k]. Elements of a row are distinct.
template <int K>
__global__ void top_k(const float* x, float* out, int cols) {
  extern __shared__ float row[];
  __shared__ float best[kThreads];
  __shared__ int place[kThreads];
  const int t = threadIdx.x;
  for (int c = t; c < cols; c += kThreads) row[c] = x[blockIdx.x * cols + c];
  __syncthreads();
  for (int round = 0; round < K; ++round) {
    float most = -INFINITY;
    int at = 0;
    for (int c = t; c < cols; c += kThreads) {
      if (row[c] > most) {
        most = row[c];
        at = c;
      }
    }
    best[t] = most;
    place[t] = at;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half >>= 1) {
      if (t < half && best[t + half] > best[t]) {
        best[t] = best[t + half];
        place[t] = place[t + half];
      }
      __syncthreads();
    }
    if (t == 0) {
      out[blockIdx.x * K + round] = best[0];
      row[place[0]] = -INFINITY;
    }
    __syncthreads();
  }
}

int main() {
  const int rows = 14, cols = 150, k = 5;
  std::vector<float> x(rows * cols), out(rows * k, NAN);
  for (int i = 0; i < rows * cols; ++i) x[i] = (float)((i * 48271u) % 100003) / 64.0f - 700.0f;
  float *dx, *dout;
  CHECKED(cudaMalloc(&dx, x.size() * sizeof(float)));
  CHECKED(cudaMalloc(&dout, out.size() * sizeof(float)));
  CHECKED(cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECKED(cudaMemcpy(dout, out.data(), out.size() * sizeof(float), cudaMemcpyHostToDevice));
  top_k<k><<<rows, kThreads, cols * sizeof(float)>>>(dx, dout, cols);
  CHECKED(cudaGetLastError());
  CHECKED(cudaMemcpy(out.data(), dout, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
  bool ok = true;
  for (int r = 0; r < rows; ++r) {
    std::vector<float> row(x.begin() + r * cols, x.begin() + (r + 1) * cols);
    std::sort(row.begin(), row.end());
    for (int i = 0; i < k; ++i) ok = ok && out[r * k + i] == row[cols - 1 - i];
  }
  CHECKED(cudaFree(dx));
  CHECKED(cudaFree(dout));
  std::printf(ok ? "PASS\n" : "FAIL\n");
  return ok ? 0 : 1;
}
