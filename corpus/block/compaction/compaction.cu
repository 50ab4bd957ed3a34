// Keeps the elements above a threshold in their order: counts of blocks, offsets, then a scatter
// whose places come from a scan inside the block.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

constexpr int kBlock = 96;

static void check(cudaError_t status, int line) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
    std::exit(2);
  }
}

__global__ void count_kept(const short* in, int n, short threshold, int* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int kept = __syncthreads_count(i < n && in[i] > threshold);
  if (threadIdx.x == 0) counts[blockIdx.x] = kept;
}

__global__ void scatter_kept(const short* in, int n, short threshold, const int* offsets,
                             short* out) {
  __shared__ int places[2][kBlock];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kBlock + t;
  const bool keep = i < n && in[i] > threshold;
  int from = 0;
  places[0][t] = keep ? 1 : 0;
  __syncthreads();
  for (int offset = 1; offset < kBlock; offset <<= 1) {
    const int to = 1 - from;
    places[to][t] = places[from][t] + (t >= offset ? places[from][t - offset] : 0);
    from = to;
    __syncthreads();
  }
  if (keep) out[offsets[blockIdx.x] + places[from][t] - 1] = in[i];
}

int main() {
  const int n = 4099, blocks = (n + kBlock - 1) / kBlock;
  const short threshold = 40;
  std::vector<short> in(n), wanted;
  for (int i = 0; i < n; ++i) {
    in[i] = (short)((i * 31337) % 211 - 90);
    if (in[i] > threshold) wanted.push_back(in[i]);
  }
  short *d_in, *d_out;
  int *d_counts, *d_offsets;
  check(cudaMalloc(&d_in, n * sizeof(short)), __LINE__);
  check(cudaMalloc(&d_out, n * sizeof(short)), __LINE__);
  check(cudaMalloc(&d_counts, blocks * sizeof(int)), __LINE__);
  check(cudaMalloc(&d_offsets, blocks * sizeof(int)), __LINE__);
  check(cudaMemcpy(d_in, in.data(), n * sizeof(short), cudaMemcpyHostToDevice), __LINE__);
  check(cudaMemset(d_out, 0x80, n * sizeof(short)), __LINE__);
  check(cudaMemset(d_counts, 0xff, blocks * sizeof(int)), __LINE__);

  count_kept<<<blocks, kBlock>>>(d_in, n, threshold, d_counts);
  std::vector<int> offsets(blocks);
  check(cudaMemcpy(offsets.data(), d_counts, blocks * sizeof(int), cudaMemcpyDeviceToHost), __LINE__);
  int total = 0;
  for (int& c : offsets) {
    if (c < 0 || c > kBlock) c = 0;
    const int own = c;
    c = total;
    total += own;
  }
  check(cudaMemcpy(d_offsets, offsets.data(), blocks * sizeof(int), cudaMemcpyHostToDevice), __LINE__);
  scatter_kept<<<blocks, kBlock>>>(d_in, n, threshold, d_offsets, d_out);
  std::vector<short> out(n);
  check(cudaMemcpy(out.data(), d_out, n * sizeof(short), cudaMemcpyDeviceToHost), __LINE__);

  bool ok = total == (int)wanted.size();
  for (int i = 0; ok && i < total; ++i) ok = out[i] == wanted[i];
  check(cudaFree(d_in), __LINE__);
  check(cudaFree(d_out), __LINE__);
  check(cudaFree(d_counts), __LINE__);
  check(cudaFree(d_offsets), __LINE__);
  std::printf(ok ? "PASS\n" : "FAIL\n");
  return ok ? 0 : 1;
}
