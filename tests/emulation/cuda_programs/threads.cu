// Threads that work together: barriers, warps, groups, atomics, shared memory. Prints "name number".
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

#define RUN(name, launch)                                                              \
  do {                                                                                 \
    cudaMemset(out, 0, sizeof(int) * 4096);                                            \
    launch;                                                                            \
    show(#name, out);                                                                  \
  } while (0)

static void show(const char *name, const int *device) {
  std::vector<int> host(4096);
  cudaError_t error = cudaDeviceSynchronize();
  cudaMemcpy(host.data(), device, host.size() * sizeof(int), cudaMemcpyDeviceToHost);
  unsigned sum = 0, mixed = 0;
  for (size_t i = 0; i < host.size(); ++i) {
    sum += host[i];
    mixed = mixed * 31 + host[i];
  }
  printf("%s %d %d %u %u %s\n", name, host[0], host[1], sum, mixed, cudaGetErrorName(error));
  cudaGetLastError();
}

__global__ void tree(int *out, int n) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = t < n ? t + 1 : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

template <class T>
__global__ void reversed(int *out) {
  extern __shared__ T mine[];
  mine[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = mine[blockDim.x - 1 - threadIdx.x];
}

extern __shared__ int file_scope[];
__device__ void fill_scope() { file_scope[threadIdx.x] = 2 * threadIdx.x; }
__global__ void through_function(int *out) {
  fill_scope();
  __syncthreads();
  out[threadIdx.x] = file_scope[threadIdx.x ^ 1];
}

__global__ void early_exit(int *out) {
  if (threadIdx.x >= 40) return;
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  __syncthreads();
  out[threadIdx.x] = count;
}

__global__ void predicates(int *out) {
  int t = threadIdx.x;
  out[3 * t] = __syncthreads_count(t % 3 == 0);
  out[3 * t + 1] = __syncthreads_and(t < 1000);
  out[3 * t + 2] = __syncthreads_or(t == 77);
}

__global__ void shuffles(int *out) {
  int t = threadIdx.x, v = 100 + t;
  int *o = out + 8 * t;
  o[0] = __shfl_sync(0xFFFFFFFFu, v, 5);
  o[1] = __shfl_up_sync(0xFFFFFFFFu, v, 3);
  o[2] = __shfl_down_sync(0xFFFFFFFFu, v, 3, 8);
  o[3] = __shfl_xor_sync(0xFFFFFFFFu, v, 9);
  o[4] = __shfl_sync(0xFFFFFFFFu, v, 11, 8);
  o[5] = static_cast<int>(__shfl_down_sync(0xFFFFFFFFu, 0.5 + v, 1));
  o[6] = __shfl_xor_sync(0xFFFFFFFFu, v, 4, 4);
  long long wide = __shfl_up_sync(0xFFFFFFFFu, (1ll << 40) * t, 1);
  o[7] = static_cast<int>(wide >> 40);
}

__global__ void votes(int *out) {
  int t = threadIdx.x;
  int *o = out + 8 * t;
  o[0] = __ballot_sync(0xFFFFFFFFu, t % 4 == 1);
  o[1] = __any_sync(0xFFFFFFFFu, t == 31);
  o[2] = __all_sync(0xFFFFFFFFu, t < 31);
  o[3] = __match_any_sync(0xFFFFFFFFu, t / 5);
  int all;
  o[4] = __match_all_sync(0xFFFFFFFFu, 7, &all) + all;
  o[5] = __reduce_add_sync(0xFFFFFFFFu, t - 20);
  o[6] = __reduce_min_sync(0xFFFFFFFFu, t - 20);
  o[7] = __reduce_or_sync(0xFFFFFFFFu, 1u << t % 7);
}

__global__ void halves_of_a_warp(int *out) {
  int t = threadIdx.x;
  if (t < 16) {
    out[t] = __shfl_xor_sync(0x0000FFFFu, t, 1) + __popc(__activemask());
  } else {
    out[t] = __ballot_sync(0xFFFF0000u, t & 1);
    __syncwarp(0xFFFF0000u);
  }
}

__global__ void lanes_gone(int *out) {
  int t = threadIdx.x;
  if (t % 2) return;
  int v = t;
  for (int k = 16; k > 1; k >>= 1) v += __shfl_down_sync(0xFFFFFFFFu, v, k);
  out[t] = t == 0 ? v : 0;
}

__global__ void groups(int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int t = block.thread_rank();
  int *o = out + 8 * t;
  o[0] = tile.thread_rank() + 10 * tile.meta_group_rank();
  o[1] = tile.shfl_down(t, 1);
  o[2] = cg::reduce(tile, t, cg::plus<int>());
  o[3] = cg::reduce(tile, t, cg::greater<int>());
  o[4] = tile.ballot(t % 3 == 0);
  o[5] = cg::inclusive_scan(tile, 1);
  auto warp = cg::tiled_partition<32>(block);
  o[6] = warp.any(t == 40);
  if (t % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    o[7] = active.size() * 100 + active.thread_rank();
    o[1] += active.shfl(t, 1);
  }
  block.sync();
}

__global__ void whole_grid(int *out) {
  cg::grid_group grid = cg::this_grid();
  __shared__ int mine;
  if (threadIdx.x == 0) mine = blockIdx.x + 1;
  int at = grid.thread_rank();
  out[at] = at;
  grid.sync();
  int other = out[grid.size() - 1 - at];
  grid.sync();
  out[at] = other + 1000 * mine;
}

__global__ void atomics(int *out, float *reals, double *wide, unsigned long long *large) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&out[0], t);
  atomicSub(&out[1], 2);
  atomicMax(&out[2], t);
  atomicMin(&out[3], -t);
  atomicAnd(&out[4], t);
  atomicOr(&out[5], t);
  atomicXor(&out[6], t);
  atomicInc(reinterpret_cast<unsigned *>(&out[7]), 9u);
  atomicDec(reinterpret_cast<unsigned *>(&out[8]), 9u);
  atomicExch(&out[9], 5);
  atomicCAS(&out[10], t, t + 1);
  atomicAdd(reals, 0.5f);
  atomicAdd(wide, 0.25);
  atomicMax(large, (1ull << 40) + t);
  atomicAdd(reinterpret_cast<__half *>(&out[11]), __half(1.0f));
}

__global__ void lock(int *out) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&out[1], 0, 1) == 0) {
      out[0] = out[0] + 1;
      __threadfence();
      atomicExch(&out[1], 0);
      done = true;
    }
  }
}

// A thread waits for one that starts later.
__global__ void flag(int *out) {
  if (threadIdx.x == 0) {
    while (atomicAdd(&out[1], 0) == 0) {
    }
    out[0] = 7;
  } else if (threadIdx.x == 100) {
    atomicExch(&out[1], 3);
  }
}

__global__ void child(int *out, int base) { out[base + threadIdx.x] = base; }
__global__ void parent(int *out) {
  if (threadIdx.x == 3) child<<<1, 8>>>(out, 16);
}

__global__ void poisoned(int *out) {
  __shared__ float s[4];
  out[threadIdx.x] = s[threadIdx.x] != s[threadIdx.x];  // never written: NaN
}

__global__ void dimensions(int *out) {
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  out[b * blockDim.x * blockDim.y * blockDim.z + t] =
      threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * b;
}

#define DEFINE(name, op) \
  __global__ void name(int *out, int a) { out[threadIdx.x] = a op static_cast<int>(threadIdx.x); }
DEFINE(added, +)
#define START(kernel, ...) kernel<<<1, 64>>>(__VA_ARGS__)

struct Holder {
  int *out;
  template <int N>
  void go() const;
};
template <int N>
__global__ void constant(int *out) { out[threadIdx.x] = N; }
template <int N>
void Holder::go() const { constant<N><<<dim3(1, 1), 32, 0, nullptr>>>(out); }

int main() {
  int *out;
  cudaMalloc(&out, sizeof(int) * 4096);
  RUN(tree, (tree<<<4, 256>>>(out, 200)));
  RUN(reversed, (reversed<int><<<1, 96, 96 * sizeof(int)>>>(out)));
  RUN(through_function, (through_function<<<1, 64, 256>>>(out)));
  RUN(early_exit, (early_exit<<<1, 64>>>(out)));
  RUN(predicates, (predicates<<<1, 100>>>(out)));
  RUN(shuffles, (shuffles<<<1, 32>>>(out)));
  RUN(votes, (votes<<<1, 32>>>(out)));
  RUN(halves_of_a_warp, (halves_of_a_warp<<<1, 32>>>(out)));
  RUN(lanes_gone, (lanes_gone<<<1, 32>>>(out)));
  RUN(groups, (groups<<<1, 64>>>(out)));
  void *args[] = {&out};
  RUN(whole_grid, (cudaLaunchCooperativeKernel((void *)whole_grid, dim3(4), dim3(64), args)));
  RUN(large_grid, (cudaLaunchCooperativeKernel((void *)whole_grid, dim3(16), dim3(256), args)));
  cudaLaunchCooperativeKernel(whole_grid, dim3(65), dim3(256), args, 0, 0);
  printf("too_large %s\n", cudaGetErrorName(cudaGetLastError()));
  float *reals;
  double *wide;
  unsigned long long *large;
  cudaMallocManaged(&reals, sizeof(float));
  cudaMallocManaged(&wide, sizeof(double));
  cudaMallocManaged(&large, sizeof(unsigned long long));
  *reals = 0, *wide = 0, *large = 0;
  RUN(atomics, (atomics<<<100, 100>>>(out, reals, wide, large)));
  printf("atomic_values %g %g %llu\n", *reals, *wide, *large);
  RUN(lock, (lock<<<8, 64>>>(out)));
  RUN(flag, (flag<<<1, 128>>>(out)));
  RUN(parent, (parent<<<1, 8>>>(out)));
  RUN(poisoned, (poisoned<<<1, 4>>>(out)));
  RUN(dimensions, (dimensions<<<dim3(2, 3, 2), dim3(4, 2, 3)>>>(out)));
  RUN(added, START(added, out, 5));
  Holder holder{out};
  RUN(constant, holder.go<3>());
  void (*pointer)(int *, int) = added;
  RUN(pointer, (pointer<<<1, 4>>>(out, 1)));
  auto kernel = constant<9>;
  RUN(untyped, (cudaLaunchKernel((const void *)kernel, dim3(1), dim3(2), args, 0, nullptr)));
}
