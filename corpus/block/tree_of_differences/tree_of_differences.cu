// Trees that are no reductions: one subtracts, one skips a level, one keeps only some lanes. A
// converter that takes them for sums gives other numbers.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

constexpr int kThreads = 64;

static void check(cudaError_t status) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(2);
  }
}

__global__ void subtract_tree(const int* in, int* out) {
  __shared__ int tree[kThreads];
  const int t = threadIdx.x;
  tree[t] = in[blockIdx.x * kThreads + t];
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half >>= 1) {
    if (t < half) tree[t] -= tree[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tree[0];
}

// Stops before the last level, so half of the numbers are missing in tree[0].
__global__ void short_tree(const int* in, int* out) {
  __shared__ int tree[kThreads];
  const int t = threadIdx.x;
  tree[t] = in[blockIdx.x * kThreads + t];
  __syncthreads();
  for (int half = kThreads / 2; half > 1; half >>= 1) {
    if (t < half) tree[t] += tree[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tree[0];
}

// The guard is one too small on every level.
__global__ void narrow_tree(const int* in, int* out) {
  __shared__ int tree[kThreads];
  const int t = threadIdx.x;
  tree[t] = in[blockIdx.x * kThreads + t];
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half >>= 1) {
    if (t + 1 < half || half == 1) {
      if (t < half) tree[t] += tree[t + half];
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tree[0];
}

int main() {
  const int blocks = 11, n = blocks * kThreads;
  std::vector<int> in(n), out(3 * blocks, -1);
  for (int i = 0; i < n; ++i) in[i] = (i * 4099) % 1511 - 700;
  int *d_in, *d_out;
  check(cudaMalloc(&d_in, n * sizeof(int)));
  check(cudaMalloc(&d_out, 3 * blocks * sizeof(int)));
  check(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  check(cudaMemset(d_out, 0xff, 3 * blocks * sizeof(int)));
  subtract_tree<<<blocks, kThreads>>>(d_in, d_out);
  short_tree<<<blocks, kThreads>>>(d_in, d_out + blocks);
  narrow_tree<<<blocks, kThreads>>>(d_in, d_out + 2 * blocks);
  check(cudaGetLastError());
  check(cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost));
  bool ok = true;
  for (int b = 0; b < blocks; ++b) {
    int difference = 0, even = 0;
    std::vector<int> narrow(in.begin() + b * kThreads, in.begin() + (b + 1) * kThreads);
    for (int t = 0; t < kThreads; ++t) {
      difference += (__builtin_popcount(t) % 2 ? -1 : 1) * narrow[t];
      if (t % 2 == 0) even += narrow[t];
    }
    for (int half = kThreads / 2; half > 0; half /= 2) {
      for (int t = 0; t < half; ++t) {
        if (t < half - 1 || half == 1) narrow[t] += narrow[t + half];
      }
    }
    ok = ok && out[b] == difference && out[blocks + b] == even && out[2 * blocks + b] == narrow[0];
  }
  check(cudaFree(d_in));
  check(cudaFree(d_out));
  std::printf(ok ? "PASS\n" : "FAIL\n");
  return ok ? 0 : 1;
}
