// Kernels that need their threads' own stacks, each for a reason of its own.
#include <cassert>
#include <cstdio>

__global__ void divergent_barrier(float *x, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t < n) {
    __syncthreads();
    x[t] = s[63 - t];
  }
  x[t] += 1.0f;
}

__global__ void divergent_rounds(float *x, int n) {
  for (int i = threadIdx.x; i < n; i += 64) {
    __syncthreads();
    x[i] += 1.0f;
  }
}

__global__ void divergent_shuffle(float *x, int n) {
  float v = x[threadIdx.x];
  if (threadIdx.x % 3 == 0) v += __shfl_xor_sync(0xffffffffu, v, 3);
  x[threadIdx.x] = v;
}

__global__ void partial_mask(float *x, int n) {
  float v = x[threadIdx.x];
  if (threadIdx.x < 8) v += __shfl_down_sync(0x0fu, v, 1);
  x[threadIdx.x] = v;
}

__global__ void lockstep(volatile float *x) {
  __shared__ volatile float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t < 32) s[t] += s[t + 32];
  if (t < 16) s[t] += s[t + 16];
  x[t] = s[t];
}

__device__ int depth(int n) { return n < 2 ? 1 : depth(n - 1) + depth(n - 2); }
__global__ void recursive(int *x) { x[threadIdx.x] = depth(threadIdx.x); }

__device__ int *kept[64];
__global__ void escaping(int *x) {
  int own = x[threadIdx.x];
  kept[threadIdx.x] = &own;
  __syncthreads();
  x[threadIdx.x] = *kept[threadIdx.x];
}

__global__ void printing(float *x) {
  if (x[threadIdx.x] < 0.0f) printf("%d\n", threadIdx.x);
}

__global__ void asserting(float *x) { assert(x[threadIdx.x] >= 0.0f); }

__global__ void waiting(int *turn, float *x) {
  while (atomicAdd(turn, 0) != threadIdx.x) {
  }
  x[0] = 0.5f * x[0] + threadIdx.x;
  atomicAdd(turn, 1);
}

__global__ void locking(int *lock, float *x) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      x[0] += 1.0f;
      atomicExch(lock, 0);
      done = true;
    }
  }
}

__global__ void ordered_sum(float *x, float *sum) {
  float v = x[threadIdx.x];
  v += __shfl_xor_sync(0xffffffffu, v, 1);
  atomicAdd(sum, v);
}

__global__ void ordered_places(const float *x, float *y, int *next) {
  unsigned yes = __ballot_sync(0xffffffffu, x[threadIdx.x] > 0.0f);
  if (yes >> threadIdx.x % 32 & 1) y[atomicAdd(next, 1)] = x[threadIdx.x];
}

__global__ void timed(long long *x) { x[threadIdx.x] = clock64(); }

// The same with what makes it right.
__global__ void uniform_barrier(float *x, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  if (n > 3) {
    __syncthreads();
    x[t] = s[63 - t];
  }
  x[t] += 1.0f;
}

__global__ void commuting_sum(const int *x, int *sum) {
  int v = x[threadIdx.x];
  v += __shfl_xor_sync(0xffffffffu, v, 1);
  atomicAdd(sum, v);
}

__global__ void ordered_by_number(const float *x, float *sum) { atomicAdd(sum, x[threadIdx.x]); }
