// Running sums inside of segments that head flags start, by shuffles of a warp; and the number of
// the segment by a vote.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static void die_unless(cudaError_t status) {
  if (status != cudaSuccess) std::printf("%s\n", cudaGetErrorString(status)), std::exit(2);
}

// Segments do not reach over warps: each warp starts one.
__global__ void segmented_scan(const int* x, const unsigned char* heads, int* sums, int* segments,
                               int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & 31;
  const bool head = lane == 0 || (i < n && heads[i]);
  const unsigned votes = __ballot_sync(0xffffffffu, head);
  const unsigned below = votes & (0xffffffffu >> (31 - lane));
  const int start = 31 - __clz(below);

  int sum = i < n ? x[i] : 0;
  for (int offset = 1; offset < 32; offset <<= 1) {
    const int left = __shfl_up_sync(0xffffffffu, sum, offset);
    if (lane - offset >= start) sum += left;
  }
  if (i < n) {
    sums[i] = sum;
    segments[i] = __popc(below) - 1;
  }
}

int main() {
  const int n = 1000;
  std::vector<int> x(n), sums(n, -1), segments(n, -1);
  std::vector<unsigned char> heads(n);
  for (int i = 0; i < n; ++i) {
    x[i] = (i * 7901) % 1999 - 999;
    heads[i] = (i * i) % 11 == 3;
  }
  int *d_x, *d_sums, *d_segments;
  unsigned char* d_heads;
  die_unless(cudaMalloc(&d_x, n * sizeof(int)));
  die_unless(cudaMalloc(&d_sums, n * sizeof(int)));
  die_unless(cudaMalloc(&d_segments, n * sizeof(int)));
  die_unless(cudaMalloc(&d_heads, n));
  die_unless(cudaMemcpy(d_x, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  die_unless(cudaMemcpy(d_sums, sums.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  die_unless(cudaMemcpy(d_segments, segments.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  die_unless(cudaMemcpy(d_heads, heads.data(), n, cudaMemcpyHostToDevice));
  segmented_scan<<<(n + 127) / 128, 128>>>(d_x, d_heads, d_sums, d_segments, n);
  die_unless(cudaMemcpy(sums.data(), d_sums, n * sizeof(int), cudaMemcpyDeviceToHost));
  die_unless(cudaMemcpy(segments.data(), d_segments, n * sizeof(int), cudaMemcpyDeviceToHost));
  bool ok = true;
  int sum = 0, segment = 0;
  for (int i = 0; i < n; ++i) {
    if (i % 32 == 0) {
      segment = -1;
    }
    if (i % 32 == 0 || heads[i]) {
      sum = 0;
      ++segment;
    }
    sum += x[i];
    ok = ok && sums[i] == sum && segments[i] == segment;
  }
  die_unless(cudaFree(d_x));
  die_unless(cudaFree(d_sums));
  die_unless(cudaFree(d_segments));
  die_unless(cudaFree(d_heads));
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
