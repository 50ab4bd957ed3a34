// Block reductions of CUB: sums of squares of rows, the element that is largest in size by an operator
// of our own, and offsets of kept elements by a block scan.

#include <cmath>
#include <cstdio>
#include <vector>

#include <cub/cub.cuh>
#include <cuda_runtime.h>

constexpr int kThreads = 128;

struct LargerInSize {
  __device__ int operator()(int a, int b) const { return abs(b) > abs(a) ? b : a; }
};

// One block a row of x [rows, cols]: norms gets the root of the sum of squares.
__global__ void row_norms(const float* __restrict__ x, float* __restrict__ norms, int cols) {
  using Reduce = cub::BlockReduce<float, kThreads>;
  __shared__ typename Reduce::TempStorage storage;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += kThreads) {
    const float v = x[blockIdx.x * cols + c];
    sum += v * v;
  }
  const float total = Reduce(storage).Sum(sum);
  if (threadIdx.x == 0) norms[blockIdx.x] = sqrtf(total);
}

// The number of each row that is largest in size. No two numbers of a row have one size.
__global__ void row_peaks(const int* __restrict__ x, int* __restrict__ peaks, int cols) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  __shared__ typename Reduce::TempStorage storage;
  int peak = 0;
  const LargerInSize larger;
  for (int c = threadIdx.x; c < cols; c += kThreads) peak = larger(peak, x[blockIdx.x * cols + c]);
  peak = Reduce(storage).Reduce(peak, larger);
  if (threadIdx.x == 0) peaks[blockIdx.x] = peak;
}

// Moves the positive numbers of each piece of kThreads to its front, in order, and counts them.
__global__ void keep_positive(const int* __restrict__ x, int* __restrict__ kept,
                              int* __restrict__ counts, int n) {
  using Scan = cub::BlockScan<int, kThreads>;
  __shared__ typename Scan::TempStorage storage;
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const int value = i < n ? x[i] : 0;
  int place, total;
  Scan(storage).ExclusiveSum(value > 0 ? 1 : 0, place, total);
  if (value > 0) kept[blockIdx.x * kThreads + place] = value;
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

template <typename T>
static T* on_device(const std::vector<T>& host) {
  T* p = nullptr;
  cudaMalloc(&p, host.size() * sizeof(T));
  cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

template <typename T>
static void fetch(std::vector<T>& host, T* device) {
  cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(device);
}

int main() {
  const int rows = 6, cols = 301, n = rows * cols, blocks = (n + kThreads - 1) / kThreads;
  std::vector<float> x(n), norms(rows, -1.0f);
  std::vector<int> y(n), peaks(rows, 0), kept(blocks * kThreads, -7), counts(blocks, -1);
  for (int i = 0; i < n; ++i) x[i] = std::cos(0.31f * i) * (1 + i % 7);
  for (int i = 0; i < n; ++i) y[i] = (i * 97 % 907 + 1) * (i % 3 == 0 ? -1 : 1);
  float *d_x = on_device(x), *d_norms = on_device(norms);
  int *d_y = on_device(y), *d_peaks = on_device(peaks);
  int *d_kept = on_device(kept), *d_counts = on_device(counts);
  row_norms<<<rows, kThreads>>>(d_x, d_norms, cols);
  row_peaks<<<rows, kThreads>>>(d_y, d_peaks, cols);
  keep_positive<<<blocks, kThreads>>>(d_y, d_kept, d_counts, n);
  fetch(norms, d_norms);
  fetch(peaks, d_peaks);
  fetch(kept, d_kept);
  fetch(counts, d_counts);
  cudaFree(d_x);
  cudaFree(d_y);

  int wrong = 0;
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    int peak = 0;
    for (int c = 0; c < cols; ++c) {
      sum += static_cast<double>(x[r * cols + c]) * x[r * cols + c];
      if (std::abs(y[r * cols + c]) > std::abs(peak)) peak = y[r * cols + c];
    }
    // Terms are positive: each of at most cols additions is off by half a unit at most.
    wrong += !(std::fabs(norms[r] - std::sqrt(sum)) <= cols * 6e-8 * std::sqrt(sum));
    wrong += peaks[r] != peak;
  }
  for (int b = 0; b < blocks; ++b) {
    int at = 0;
    for (int i = b * kThreads; i < n && i < (b + 1) * kThreads; ++i) {
      if (y[i] > 0) wrong += kept[b * kThreads + at++] != y[i];
    }
    wrong += counts[b] != at;
    for (; at < kThreads; ++at) wrong += kept[b * kThreads + at] != -7;
  }
  std::puts(wrong ? "FAIL" : "PASS");
  return wrong ? 1 : 0;
}
