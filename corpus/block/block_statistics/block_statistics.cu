// Sum, smallest and largest number of a vector in one pass: a grid-stride walk, warp shuffles, one
// slot of shared memory a warp, and one atomic operation a block on the result.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                           \
  do {                                                                             \
    const cudaError_t status = (call);                                             \
    if (status != cudaSuccess) {                                                   \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(status)); \
      std::exit(2);                                                                \
    }                                                                              \
  } while (0)

struct Plus {
  static constexpr int start = 0;
  __device__ static int fold(int a, int b) { return a + b; }
};

struct Lower {
  static constexpr int start = 2147483647;
  __device__ static int fold(int a, int b) { return a < b ? a : b; }
};

struct Higher {
  static constexpr int start = -2147483647 - 1;
  __device__ static int fold(int a, int b) { return max(a, b); }
};

// Lane 0 of each warp gets the warp's fold.
template <typename Op>
__device__ int warp_fold(int v) {
  for (int distance = 16; distance > 0; distance >>= 1) {
    v = Op::fold(v, __shfl_down_sync(0xffffffffu, v, distance));
  }
  return v;
}

// Thread 0 gets the block's fold; `slots` has one place a warp.
template <typename Op>
__device__ int block_fold(int v, int* slots) {
  v = warp_fold<Op>(v);
  __syncthreads();  // the slots may still be read from the fold before
  if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? slots[threadIdx.x] : Op::start;
  return threadIdx.x < 32 ? warp_fold<Op>(v) : v;
}

// result[0] is the sum, result[1] the smallest, result[2] the largest number.
__global__ void statistics(const int* numbers, int* result, int n) {
  __shared__ int slots[32];
  int sum = Plus::start, low = Lower::start, high = Higher::start;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int x = numbers[i];
    sum = Plus::fold(sum, x);
    low = Lower::fold(low, x);
    high = Higher::fold(high, x);
  }
  sum = block_fold<Plus>(sum, slots);
  low = block_fold<Lower>(low, slots);
  high = block_fold<Higher>(high, slots);
  if (threadIdx.x == 0) {
    atomicAdd(&result[0], sum);
    atomicMin(&result[1], low);
    atomicMax(&result[2], high);
  }
}

int main() {
  const int n = 7001, blocks = 5, threads = 96;
  std::vector<int> numbers(n);
  long long sum = 0;
  int low = 1 << 30, high = -(1 << 30);
  for (int i = 0; i < n; ++i) {
    numbers[i] = (i * 7919 + 13) % 20011 - 9000;
    sum += numbers[i];
    if (numbers[i] < low) low = numbers[i];
    if (numbers[i] > high) high = numbers[i];
  }
  int result[3] = {0, 2147483647, -2147483647 - 1};
  int *d_numbers, *d_result;
  CUDA_CHECK(cudaMalloc(&d_numbers, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_result, sizeof(result)));
  CUDA_CHECK(cudaMemcpy(d_numbers, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_result, result, sizeof(result), cudaMemcpyHostToDevice));
  statistics<<<blocks, threads>>>(d_numbers, d_result, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(result, d_result, sizeof(result), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_numbers));
  CUDA_CHECK(cudaFree(d_result));
  const bool ok = result[0] == sum && result[1] == low && result[2] == high;
  std::printf(ok ? "PASS\n" : "FAIL\n");
  return ok ? 0 : 1;
}
