// Reductions over the threads of a block, by their meaning: every thread gets the fold of the
// values of all threads that differ from it in the bits from `scale` up to below `threads`.
#pragma once

#include "common.h"

namespace tl {

struct SumOp {
  template <typename T>
  __device__ T operator()(T a, T b) const { return a + b; }
};

struct MaxOp {
  template <typename T>
  __device__ T operator()(T a, T b) const { return max(a, b); }
};

struct MinOp {
  template <typename T>
  __device__ T operator()(T a, T b) const { return min(a, b); }
};

template <int threads>
struct NamedBarrier {};

template <typename Op, int threads, int scale, int offset = 0, typename Barrier = void>
struct AllReduce {
  template <typename T>
  __device__ static T run(T value, T* workspace = nullptr) {
    static_assert((threads & (threads - 1)) == 0, "a butterfly takes powers of two");
    const int at = static_cast<int>(threadIdx.x) - offset;
    for (int distance = threads / 2; distance >= scale; distance /= 2) {
      if (distance >= 32) {
        __syncthreads();
        workspace[at] = value;
        __syncthreads();
        value = Op()(value, workspace[at ^ distance]);
      } else {
        value = Op()(value, __shfl_xor_sync(0xffffffffu, value, distance));
      }
    }
    return value;
  }
};

}  // namespace tl
