// Prefix sums of the segments that blocks own: the step-doubling scan with two halves of a shared
// array in turn, and the work-efficient scan that goes up and down a tree.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define MUST(call)                                                       \
  if (cudaError_t status = (call); status != cudaSuccess) {              \
    std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
    std::exit(2);                                                        \
  }

constexpr int kSegment = 128;

// out[i] = in[first of the segment] + ... + in[i], one thread an element.
__global__ void inclusive_scan(const int* in, int* out, int n) {
  __shared__ int line[2][kSegment];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kSegment + t;
  int from = 0, to = 1;
  line[from][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < kSegment; step <<= 1) {
    line[to][t] = t >= step ? line[from][t] + line[from][t - step] : line[from][t];
    from = 1 - from;
    to = 1 - to;
    __syncthreads();
  }
  if (i < n) out[i] = line[from][t];
}

// out[i] = in[first of the segment] + ... + in[i - 1], two elements a thread.
__global__ void exclusive_scan(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned tree[kSegment];
  const int t = threadIdx.x;
  const int base = blockIdx.x * kSegment;
  for (int k = t; k < kSegment; k += blockDim.x) tree[k] = base + k < n ? in[base + k] : 0u;

  int offset = 1;
  for (int pairs = kSegment / 2; pairs > 0; pairs >>= 1) {  // up: sums of growing subtrees
    __syncthreads();
    if (t < pairs) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) tree[kSegment - 1] = 0u;
  for (int pairs = 1; pairs < kSegment; pairs *= 2) {  // down: hand out what lies to the left
    offset >>= 1;
    __syncthreads();
    if (t < pairs) {
      const int left = offset * (2 * t + 1) - 1;
      const int right = offset * (2 * t + 2) - 1;
      const unsigned kept = tree[left];
      tree[left] = tree[right];
      tree[right] += kept;
    }
  }
  __syncthreads();
  for (int k = t; k < kSegment; k += blockDim.x) {
    if (base + k < n) out[base + k] = tree[k];
  }
}

int main() {
  const int n = 2 * kSegment * 7 + 45;
  const int blocks = (n + kSegment - 1) / kSegment;
  std::vector<int> in(n), inclusive(n, -1);
  std::vector<unsigned> raw(n), exclusive(n, 0xdeadbeefu);
  for (int i = 0; i < n; ++i) {
    in[i] = (i * 31) % 17 - 8;
    raw[i] = 2654435761u * (i + 1);  // sums wrap
  }
  int *d_in, *d_inclusive;
  unsigned *d_raw, *d_exclusive;
  const size_t bytes = n * sizeof(int);
  MUST(cudaMalloc(&d_in, bytes));
  MUST(cudaMalloc(&d_inclusive, bytes));
  MUST(cudaMalloc(&d_raw, bytes));
  MUST(cudaMalloc(&d_exclusive, bytes));
  MUST(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
  MUST(cudaMemcpy(d_raw, raw.data(), bytes, cudaMemcpyHostToDevice));
  MUST(cudaMemcpy(d_inclusive, inclusive.data(), bytes, cudaMemcpyHostToDevice));
  MUST(cudaMemcpy(d_exclusive, exclusive.data(), bytes, cudaMemcpyHostToDevice));
  inclusive_scan<<<blocks, kSegment>>>(d_in, d_inclusive, n);
  MUST(cudaGetLastError());
  exclusive_scan<<<blocks, kSegment / 2>>>(d_raw, d_exclusive, n);
  MUST(cudaGetLastError());
  MUST(cudaMemcpy(inclusive.data(), d_inclusive, bytes, cudaMemcpyDeviceToHost));
  MUST(cudaMemcpy(exclusive.data(), d_exclusive, bytes, cudaMemcpyDeviceToHost));

  int wrong = 0;
  long long sum = 0;
  unsigned long long before = 0;
  for (int i = 0; i < n; ++i) {
    if (i % kSegment == 0) sum = 0, before = 0;
    sum += in[i];
    wrong += inclusive[i] != sum;
    wrong += exclusive[i] != (before & 0xffffffffull);
    before += raw[i];
  }
  MUST(cudaFree(d_in));
  MUST(cudaFree(d_inclusive));
  MUST(cudaFree(d_raw));
  MUST(cudaFree(d_exclusive));
  std::printf("%s\n", wrong ? "FAIL" : "PASS");
  return wrong ? 1 : 0;
}
