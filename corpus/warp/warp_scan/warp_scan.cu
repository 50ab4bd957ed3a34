// Prefix sums of blocks by shuffles: within warps, then over the totals of the warps. Inclusive for
// floats, exclusive for counters, whose own value is taken away again.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static void need(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
  std::exit(2);
}
#define NEED(call) need((call), __LINE__)

constexpr unsigned kAll = 0xffffffffu;

template <typename Number>
__device__ Number up_to_here(Number mine) {
  const int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const Number below = __shfl_up_sync(kAll, mine, distance);
    if (lane >= distance) mine += below;
  }
  return mine;
}

template <typename Number>
__device__ Number block_sums(Number mine, Number* totals) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  mine = up_to_here(mine);
  if (lane == 31) totals[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    const Number total = lane < warps ? totals[lane] : Number(0);
    totals[lane] = up_to_here(total);
  }
  __syncthreads();
  if (warp > 0) mine += totals[warp - 1];
  return mine;
}

__global__ void running_mass(const float* mass, float* sums, int n) {
  __shared__ float totals[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float here = i < n ? mass[i] : 0.0f;
  const float sum = block_sums(here, totals);
  if (i < n) sums[i] = sum;
}

__global__ void places(const unsigned* counts, unsigned* first, unsigned* totals_out, int n) {
  __shared__ unsigned totals[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned mine = i < n ? counts[i] : 0u;
  const unsigned end = block_sums(mine, totals);
  if (i < n) first[i] = end - mine;
  if (threadIdx.x + 1 == blockDim.x) totals_out[blockIdx.x] = end;
}

int main() {
  const int n = 1500, threads = 160, blocks = (n + threads - 1) / threads;
  std::vector<float> mass(n), sums(n, -1.0f);
  std::vector<unsigned> counts(n), first(n, 77u), totals(blocks, 77u);
  for (int i = 0; i < n; ++i) mass[i] = 0.25f * ((i * 29) % 64);  // sums of these are exact
  for (int i = 0; i < n; ++i) counts[i] = (unsigned)i * 2246822519u;
  float *d_mass, *d_sums;
  unsigned *d_counts, *d_first, *d_totals;
  NEED(cudaMalloc(&d_mass, n * sizeof(float)));
  NEED(cudaMalloc(&d_sums, n * sizeof(float)));
  NEED(cudaMalloc(&d_counts, n * sizeof(unsigned)));
  NEED(cudaMalloc(&d_first, n * sizeof(unsigned)));
  NEED(cudaMalloc(&d_totals, blocks * sizeof(unsigned)));
  NEED(cudaMemcpy(d_mass, mass.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  NEED(cudaMemcpy(d_counts, counts.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  running_mass<<<blocks, threads>>>(d_mass, d_sums, n);
  NEED(cudaGetLastError());
  places<<<blocks, threads>>>(d_counts, d_first, d_totals, n);
  NEED(cudaGetLastError());
  NEED(cudaMemcpy(sums.data(), d_sums, n * sizeof(float), cudaMemcpyDeviceToHost));
  NEED(cudaMemcpy(first.data(), d_first, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  NEED(cudaMemcpy(totals.data(), d_totals, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost));
  bool ok = true;
  for (int b = 0; b < blocks; ++b) {
    float sum = 0.0f;
    unsigned before = 0;
    for (int i = b * threads; i < n && i < (b + 1) * threads; ++i) {
      sum += mass[i];
      ok = ok && sums[i] == sum && first[i] == before;
      before += counts[i];
    }
    ok = ok && totals[b] == before;
  }
  NEED(cudaFree(d_mass));
  NEED(cudaFree(d_sums));
  NEED(cudaFree(d_counts));
  NEED(cudaFree(d_first));
  NEED(cudaFree(d_totals));
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
