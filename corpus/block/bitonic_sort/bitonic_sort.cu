// Sorts blocks of keys with their values by a bitonic network in shared memory.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

constexpr int kItems = 128;

static bool good(cudaError_t status) {
  if (status != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  return status == cudaSuccess;
}

// Ascending in even blocks, descending in odd ones; places past n hold the last possible key.
__global__ void sort_blocks(unsigned* keys, unsigned short* values, int n) {
  __shared__ unsigned key[kItems];
  __shared__ unsigned short value[kItems];
  const bool up = blockIdx.x % 2 == 0;
  for (int i = threadIdx.x; i < kItems; i += blockDim.x) {
    const int at = blockIdx.x * kItems + i;
    key[i] = at < n ? keys[at] : (up ? 0xffffffffu : 0u);
    value[i] = at < n ? values[at] : 0;
  }
  for (int size = 2; size <= kItems; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int low = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      const bool ascending = ((low & size) == 0) == up;
      const unsigned a = key[low], b = key[low + stride];
      if ((a > b) == ascending) {
        key[low] = b;
        key[low + stride] = a;
        const unsigned short v = value[low];
        value[low] = value[low + stride];
        value[low + stride] = v;
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kItems; i += blockDim.x) {
    const int at = blockIdx.x * kItems + i;
    if (at < n) {
      keys[at] = key[i];
      values[at] = value[i];
    }
  }
}

int main() {
  const int n = 5 * kItems - 31;  // the last block is ascending, so its padding stays at the end
  std::vector<unsigned> keys(n);
  std::vector<unsigned short> values(n);
  for (int i = 0; i < n; ++i) {
    keys[i] = (unsigned)i * 2654435761u;  // distinct
    values[i] = (unsigned short)(i * 3);
  }
  const std::vector<unsigned> before = keys;
  unsigned* d_keys;
  unsigned short* d_values;
  if (!good(cudaMalloc(&d_keys, n * sizeof(unsigned))) ||
      !good(cudaMalloc(&d_values, n * sizeof(unsigned short))) ||
      !good(cudaMemcpy(d_keys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice)) ||
      !good(cudaMemcpy(d_values, values.data(), n * 2, cudaMemcpyHostToDevice))) {
    return 2;
  }
  sort_blocks<<<(n + kItems - 1) / kItems, kItems / 2>>>(d_keys, d_values, n);
  if (!good(cudaMemcpy(keys.data(), d_keys, n * sizeof(unsigned), cudaMemcpyDeviceToHost)) ||
      !good(cudaMemcpy(values.data(), d_values, n * 2, cudaMemcpyDeviceToHost))) {
    return 2;
  }
  bool ok = true;
  for (int start = 0; start < n; start += kItems) {
    const int end = std::min(n, start + kItems);
    std::vector<std::pair<unsigned, int>> want;
    for (int i = start; i < end; ++i) want.push_back({before[i], i * 3});
    std::sort(want.begin(), want.end());
    if (start / kItems % 2 == 1) std::reverse(want.begin(), want.end());
    for (int i = start; i < end; ++i) {
      ok = ok && keys[i] == want[i - start].first && values[i] == want[i - start].second;
    }
  }
  if (!good(cudaFree(d_keys)) || !good(cudaFree(d_values))) return 2;
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
