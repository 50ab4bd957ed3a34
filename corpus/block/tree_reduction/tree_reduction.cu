// Sum and maximum of a vector: each block folds its share with a tree in shared memory, the host
// folds what the blocks leave.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                           \
  do {                                                                             \
    cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                   \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(status)); \
      std::exit(2);                                                                \
    }                                                                              \
  } while (0)

struct Sum {
  __device__ static float identity() { return 0.0f; }
  __device__ static float combine(float a, float b) { return a + b; }
};

struct Largest {
  __device__ static float identity() { return -INFINITY; }
  __device__ static float combine(float a, float b) { return fmaxf(a, b); }
};

// partial[b] is the fold of all elements that block b meets on its walk over the grid. The number
// of threads of a block is a power of two.
template <typename Op>
__global__ void fold_blocks(const float* in, float* partial, int n) {
  extern __shared__ float tree[];
  const int t = threadIdx.x;
  float mine = Op::identity();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    mine = Op::combine(mine, in[i]);
  }
  tree[t] = mine;
  __syncthreads();

  for (int half = blockDim.x >> 1; half > 0; half >>= 1) {
    if (t < half) tree[t] = Op::combine(tree[t], tree[t + half]);
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = tree[0];
}

// The same tree with the stride growing: neighbours first. A thread that is done waits along.
__global__ void fold_neighbours(const int* in, int* partial, int n) {
  __shared__ int tree[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  tree[threadIdx.x] = i < n ? in[i] : 0;
  for (int stride = 1; stride < 64; stride *= 2) {
    __syncthreads();
    const int at = 2 * stride * threadIdx.x;
    if (at + stride < 64) tree[at] += tree[at + stride];
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = tree[0];
}

int main() {
  const int n = 5003, blocks = 7, threads = 128;
  const int small_blocks = (n + 63) / 64;
  std::vector<float> in(n), partial(blocks, NAN);
  std::vector<int> whole(n), small(small_blocks, -1);
  double sum = 0.0, magnitude = 0.0;
  float largest = -std::numeric_limits<float>::infinity();
  for (int i = 0; i < n; ++i) {
    in[i] = std::sin(0.37f * i) * (1 + i % 5);
    whole[i] = (i * 7919) % 2003 - 1000;
    sum += in[i];
    magnitude += std::fabs(in[i]);
    if (in[i] > largest) largest = in[i];
  }

  float *d_in, *d_partial;
  int *d_whole, *d_small;
  CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_partial, blocks * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_whole, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_small, small_blocks * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_whole, whole.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  bool ok = true;
  CUDA_CHECK(cudaMemcpy(d_partial, partial.data(), blocks * sizeof(float), cudaMemcpyHostToDevice));
  fold_blocks<Sum><<<blocks, threads, threads * sizeof(float)>>>(d_in, d_partial, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(partial.data(), d_partial, blocks * sizeof(float), cudaMemcpyDeviceToHost));
  double got = 0.0;
  for (float p : partial) got += p;
  // A thread adds six numbers, the tree seven levels more: 13 roundings of partial sums.
  ok = ok && std::fabs(got - sum) <= 13 * 6e-8 * magnitude;

  partial.assign(blocks, NAN);
  CUDA_CHECK(cudaMemcpy(d_partial, partial.data(), blocks * sizeof(float), cudaMemcpyHostToDevice));
  fold_blocks<Largest><<<blocks, threads, threads * sizeof(float)>>>(d_in, d_partial, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(partial.data(), d_partial, blocks * sizeof(float), cudaMemcpyDeviceToHost));
  float most = -std::numeric_limits<float>::infinity();
  for (float p : partial) {
    ok = ok && !std::isnan(p);
    if (p > most) most = p;
  }
  ok = ok && most == largest;

  CUDA_CHECK(cudaMemcpy(d_small, small.data(), small_blocks * sizeof(int), cudaMemcpyHostToDevice));
  fold_neighbours<<<small_blocks, 64>>>(d_whole, d_small, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(small.data(), d_small, small_blocks * sizeof(int), cudaMemcpyDeviceToHost));
  for (int b = 0; b < small_blocks; ++b) {
    long long want = 0;
    for (int i = b * 64; i < n && i < (b + 1) * 64; ++i) want += whole[i];
    ok = ok && small[b] == want;
  }
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_partial));
  CUDA_CHECK(cudaFree(d_whole));
  CUDA_CHECK(cudaFree(d_small));
  std::printf(ok ? "PASS\n" : "FAIL\n");
  return ok ? 0 : 1;
}
