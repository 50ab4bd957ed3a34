// Exclusive prefix sums of blocks by the work-efficient scan: sums up a tree, then down again.
// Indices are padded so that the tree's strides fall on different banks.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static void must(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(2);
}

constexpr int kThreads = 64;
constexpr int kItems = 2 * kThreads;

__device__ __forceinline__ int padded(int i) { return i + (i >> 5); }

// Each block scans kItems numbers; totals[b] gets the block's sum.
__global__ void scan_blocks(const unsigned* in, unsigned* out, unsigned* totals, int n) {
  __shared__ unsigned tree[kItems + kItems / 32];
  const int t = threadIdx.x;
  const int base = blockIdx.x * kItems;
  tree[padded(t)] = base + t < n ? in[base + t] : 0u;
  tree[padded(t + kThreads)] = base + t + kThreads < n ? in[base + t + kThreads] : 0u;

  int stride = 1;
  for (int active = kThreads; active > 0; active >>= 1) {
    __syncthreads();
    if (t < active) {
      const int left = padded(stride * (2 * t + 1) - 1);
      const int right = padded(stride * (2 * t + 2) - 1);
      tree[right] += tree[left];
    }
    stride *= 2;
  }
  if (t == 0) {
    totals[blockIdx.x] = tree[padded(kItems - 1)];
    tree[padded(kItems - 1)] = 0u;
  }
  for (int active = 1; active <= kThreads; active *= 2) {
    stride >>= 1;
    __syncthreads();
    if (t < active) {
      const int left = padded(stride * (2 * t + 1) - 1);
      const int right = padded(stride * (2 * t + 2) - 1);
      const unsigned sum = tree[left];
      tree[left] = tree[right];
      tree[right] += sum;
    }
  }
  __syncthreads();
  if (base + t < n) out[base + t] = tree[padded(t)];
  if (base + t + kThreads < n) out[base + t + kThreads] = tree[padded(t + kThreads)];
}

__global__ void add_offsets(unsigned* out, const unsigned* offsets, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += offsets[i / kItems];
}

int main() {
  const int n = 3001, blocks = (n + kItems - 1) / kItems;
  std::vector<unsigned> in(n), out(n), totals(blocks);
  for (int i = 0; i < n; ++i) in[i] = (i * 40503u) ^ 0x9e3779b9u;

  unsigned *d_in, *d_out, *d_totals;
  must(cudaMalloc(&d_in, n * sizeof(unsigned)));
  must(cudaMalloc(&d_out, n * sizeof(unsigned)));
  must(cudaMalloc(&d_totals, blocks * sizeof(unsigned)));
  must(cudaMemcpy(d_in, in.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  must(cudaMemset(d_out, 0x5a, n * sizeof(unsigned)));

  scan_blocks<<<blocks, kThreads>>>(d_in, d_out, d_totals, n);
  must(cudaMemcpy(totals.data(), d_totals, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost));
  unsigned before = 0;
  for (unsigned& total : totals) {
    const unsigned own = total;
    total = before;
    before += own;
  }
  must(cudaMemcpy(d_totals, totals.data(), blocks * sizeof(unsigned), cudaMemcpyHostToDevice));
  add_offsets<<<(n + 95) / 96, 96>>>(d_out, d_totals, n);
  must(cudaMemcpy(out.data(), d_out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));

  bool ok = true;
  unsigned long long sum = 0;
  for (int i = 0; i < n; ++i) {
    ok = ok && out[i] == (unsigned)sum;
    sum += in[i];
  }
  must(cudaFree(d_in));
  must(cudaFree(d_out));
  must(cudaFree(d_totals));
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
