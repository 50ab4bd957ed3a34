// Votes inside warps: how many lanes agree, who they are, and a stable compaction of each warp's
// stretch by the number of agreeing lanes below one's own.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                \
  do {                                                                  \
    cudaError_t status = (call);                                        \
    if (status != cudaSuccess) {                                        \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(status)); \
      std::exit(2);                                                     \
    }                                                                   \
  } while (0)

struct Votes {
  unsigned who;
  int all;
  int any;
  int count;
};

// One thread an element; a warp that lies partly beyond the end votes with the lanes inside.
__global__ void vote(const int* in, Votes* votes, int* kept, int n, int limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  if (i >= n) return;
  const unsigned here = __activemask();
  const bool yes = in[i] > limit;
  const unsigned who = __ballot_sync(here, yes);
  const int all = __all_sync(here, yes), any = __any_sync(here, yes);
  const int rank = __popc(who & ((1u << lane) - 1u));
  if (yes) kept[i - lane + rank] = in[i];
  if (lane == 0) votes[i / 32] = {who, all, any, __popc(who)};
}

// count[b]: elements of block b that are above the limit; every thread has to reach the barrier.
__global__ void count_above(const int* in, int* count, int n, int limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int above = __syncthreads_count(i < n && in[i] > limit);
  if (threadIdx.x == 0) count[blockIdx.x] = above;
}

int main() {
  const int n = 1111, limit = 40, threads = 128;
  const int warps = (n + 31) / 32, blocks = (n + threads - 1) / threads;
  std::vector<int> in(n), kept(warps * 32, -1), count(blocks, -1);
  std::vector<Votes> votes(warps, Votes{7u, 7, 7, 7});
  for (int i = 0; i < n; ++i) {
    in[i] = (i * 53) % 97;
    if (i / 32 % 5 == 3) in[i] = 41 + i % 50;  // all say yes
    if (i / 32 % 5 == 4) in[i] = i % 41;       // nobody does
  }
  int *d_in, *d_kept, *d_count;
  Votes* d_votes;
  CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_kept, kept.size() * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_count, blocks * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_votes, warps * sizeof(Votes)));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_kept, kept.data(), kept.size() * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_count, count.data(), blocks * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_votes, votes.data(), warps * sizeof(Votes), cudaMemcpyHostToDevice));
  vote<<<blocks, threads>>>(d_in, d_votes, d_kept, n, limit);
  CUDA_CHECK(cudaGetLastError());
  count_above<<<blocks, threads>>>(d_in, d_count, n, limit);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(kept.data(), d_kept, kept.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(count.data(), d_count, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(votes.data(), d_votes, warps * sizeof(Votes), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_kept));
  CUDA_CHECK(cudaFree(d_count));
  CUDA_CHECK(cudaFree(d_votes));

  int wrong = 0;
  std::vector<int> of_block(blocks, 0);
  for (int w = 0; w < warps; ++w) {
    unsigned who = 0;
    int found = 0, lanes = 0;
    for (int i = w * 32; i < n && i < w * 32 + 32; ++i, ++lanes) {
      if (in[i] <= limit) continue;
      who |= 1u << (i - w * 32);
      wrong += kept[w * 32 + found++] != in[i];
      ++of_block[i / threads];
    }
    for (int k = found; k < 32; ++k) wrong += kept[w * 32 + k] != -1;
    const Votes& v = votes[w];
    wrong += v.who != who || v.count != found;
    wrong += v.any != (found > 0) || v.all != (found == lanes);
  }
  for (int b = 0; b < blocks; ++b) wrong += count[b] != of_block[b];
  std::printf("%s\n", wrong ? "FAIL" : "PASS");
  return wrong ? 1 : 0;
}
