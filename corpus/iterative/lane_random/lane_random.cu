// Estimates an area by random points: every thread has a generator of its own (xorwow-like), a block
// adds up its hits, and the blocks add theirs to one counter.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

struct Generator {
  unsigned x, y, z, w, weyl;

  __host__ __device__ explicit Generator(unsigned seed)
      : x(seed * 69069u + 1u), y(x ^ 0x6c078965u), z(y * 1664525u), w(z + 1013904223u), weyl(seed) {}

  __host__ __device__ unsigned next() {
    const unsigned t = x ^ (x >> 2);
    x = y;
    y = z;
    z = w;
    w = (w ^ (w << 4)) ^ (t ^ (t << 1));
    weyl += 362437u;
    return w + weyl;
  }
};

__host__ __device__ inline bool hit(unsigned a, unsigned b) {
  const unsigned x = a >> 17, y = b >> 17;  // 15 bits each, so squares fit
  return x * x + y * y < (1u << 30);
}

__global__ void count_hits(unsigned seed, int points, unsigned long long* hits, unsigned* own) {
  __shared__ unsigned of_block;
  if (threadIdx.x == 0) of_block = 0u;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Generator random(seed + i);
  unsigned mine = 0;
  for (int p = 0; p < points; ++p) {
    const unsigned a = random.next(), b = random.next();
    if (hit(a, b)) ++mine;
  }
  own[i] = mine;
  atomicAdd(&of_block, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(hits, (unsigned long long)of_block);
}

int main() {
  const int blocks = 9, threads = 96, points = 40, n = blocks * threads;
  unsigned long long *d_hits, hits = 0;
  unsigned* d_own;
  std::vector<unsigned> own(n, 0xffffu);
  if (cudaMalloc(&d_hits, sizeof(hits)) || cudaMalloc(&d_own, n * sizeof(unsigned)) ||
      cudaMemset(d_hits, 0, sizeof(hits)) ||
      cudaMemcpy(d_own, own.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice)) {
    return 2;
  }
  count_hits<<<blocks, threads>>>(17u, points, d_hits, d_own);
  if (cudaMemcpy(&hits, d_hits, sizeof(hits), cudaMemcpyDeviceToHost) ||
      cudaMemcpy(own.data(), d_own, n * sizeof(unsigned), cudaMemcpyDeviceToHost)) {
    return 2;
  }
  bool ok = true;
  unsigned long long want = 0;
  for (int i = 0; i < n; ++i) {
    Generator random(17u + i);
    unsigned mine = 0;
    for (int p = 0; p < points; ++p) {
      const unsigned a = random.next();
      const unsigned b = random.next();
      mine += hit(a, b);
    }
    ok = ok && own[i] == mine;
    want += mine;
  }
  ok = ok && hits == want && want > (unsigned long long)n * points / 2;
  if (cudaFree(d_hits) || cudaFree(d_own)) return 2;
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
