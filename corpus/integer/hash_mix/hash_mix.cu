// Hashes 32-bit keys into buckets: multiplicative mixing that relies on unsigned wraparound.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK_CUDA(cmd)                                                         \
  if (cudaError_t rc_ = (cmd)) {                                                \
    std::fprintf(stderr, "%s failed (%d)\n", #cmd, static_cast<int>(rc_));      \
    std::exit(EXIT_FAILURE);                                                    \
  }

// Usable on both sides, so that host and device cannot drift apart.
__host__ __device__ inline uint32_t rotate_left(uint32_t v, int bits) {
  return (v << bits) | (v >> (32 - bits));
}

// Final avalanche step of the 32-bit Murmur3 family: every input bit reaches every output bit.
__host__ __device__ inline uint32_t avalanche(uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  return h;
}

// One key and a seed to one hash. Products and sums wrap modulo 2^32.
__host__ __device__ inline uint32_t hash_key(uint32_t key, uint32_t seed) {
  uint32_t k = key * 0xcc9e2d51u;
  k = rotate_left(k, 15);
  k *= 0x1b873593u;

  uint32_t h = seed ^ k;
  h = rotate_left(h, 13);
  h = h * 5u + 0xe6546b64u;
  return avalanche(h ^ 4u);
}

// hashes[i] is the full hash, buckets[i] its bucket; num_buckets need not be a power of two.
__global__ void __launch_bounds__(256)
    hash_keys(const uint32_t* keys, uint32_t* hashes, uint32_t* buckets, uint32_t num_keys,
              uint32_t seed, uint32_t num_buckets) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= num_keys) return;

  uint32_t h = hash_key(keys[i], seed);
  hashes[i] = h;
  buckets[i] = h % num_buckets;
}

int main() {
  const uint32_t num_keys = 17001;
  const uint32_t num_buckets = 1021;
  const uint32_t seed = 0x9747b28cu;

  std::vector<uint32_t> keys(num_keys), hashes(num_keys), buckets(num_keys);
  for (uint32_t i = 0; i < num_keys; ++i) {
    // Spread over the whole range: small keys, keys with the top bit set, and both extremes.
    keys[i] = i * 252645135u + (i >> 3);
  }
  keys[1] = 0xffffffffu;
  keys[2] = 0x80000000u;

  const size_t bytes = num_keys * sizeof(uint32_t);
  uint32_t *d_keys, *d_hashes, *d_buckets;
  CHECK_CUDA(cudaMalloc(&d_keys, bytes));
  CHECK_CUDA(cudaMalloc(&d_hashes, bytes));
  CHECK_CUDA(cudaMalloc(&d_buckets, bytes));
  CHECK_CUDA(cudaMemcpy(d_keys, keys.data(), bytes, cudaMemcpyHostToDevice));

  hash_keys<<<(num_keys + 255) / 256, 256>>>(d_keys, d_hashes, d_buckets, num_keys, seed,
                                             num_buckets);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaMemcpy(hashes.data(), d_hashes, bytes, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(buckets.data(), d_buckets, bytes, cudaMemcpyDeviceToHost));

  CHECK_CUDA(cudaFree(d_keys));
  CHECK_CUDA(cudaFree(d_hashes));
  CHECK_CUDA(cudaFree(d_buckets));

  // A second reference, written with 64-bit products and explicit reduction, so that a mistake in
  // the shared functions cannot hide.
  const uint64_t mask = 0xffffffffull;
  int bad = 0;
  for (uint32_t i = 0; i < num_keys; ++i) {
    uint64_t k = (uint64_t)keys[i] * 0xcc9e2d51ull & mask;
    k = ((k << 15) | (k >> 17)) & mask;
    k = k * 0x1b873593ull & mask;
    uint64_t h = seed ^ k;
    h = ((h << 13) | (h >> 19)) & mask;
    h = (h * 5 + 0xe6546b64ull) & mask;
    h ^= 4;
    h ^= h >> 16;
    h = h * 0x85ebca6bull & mask;
    h ^= h >> 13;
    h = h * 0xc2b2ae35ull & mask;
    h ^= h >> 16;
    if (hashes[i] != h || buckets[i] != h % num_buckets) ++bad;
  }

  std::printf("%d of %u keys hashed wrongly\n", bad, num_keys);
  std::printf(bad == 0 ? "PASS\n" : "FAIL\n");
  return bad == 0 ? 0 : 1;
}
