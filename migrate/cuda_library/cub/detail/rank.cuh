// A thread's place in its block, and the lanes of its warp that work together.
#pragma once

#include "cuda_runtime.h"

namespace cub {
namespace detail {

// Algorithms for blocks of a fixed size ask their caller for blocks of that size. On a launch that
// was made for another instance of a kernel, the CPU runtime has to look.
template <int Threads>
__device__ __forceinline__ void expect_block() {
#ifdef CUDA_EMU
  if (cuda_emu::borrowed_launch) cuda_emu::expect_block_size(Threads);
#endif
}

// Threads are counted x first. Blocks of one dimension need no arithmetic.
template <int X, int Y, int Z>
struct Thread {
  static __device__ __forceinline__ int rank() {
    expect_block<X * Y * Z>();
    return static_cast<int>(threadIdx.x) +
           X * (static_cast<int>(threadIdx.y) + Y * static_cast<int>(threadIdx.z));
  }
};
template <int X>
struct Thread<X, 1, 1> {
  static __device__ __forceinline__ int rank() {
    expect_block<X>();
    return static_cast<int>(threadIdx.x);
  }
};

// The same where the shape of the block is not known when the code is compiled.
__device__ __forceinline__ int linear_thread() {
  return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

// A group of `Width` neighbours within a warp: this thread's place in it, and the group's lanes.
// A width that is no power of two leaves the last lanes of a warp outside any group.
template <int Width>
struct Lanes {
  static __device__ __forceinline__ int lane() { return linear_thread() % 32 % Width; }
  static __device__ __forceinline__ unsigned int mask() {
    const int first = linear_thread() % 32 / Width * Width;
    return ((1u << Width) - 1u) << first;
  }
};
template <>
struct Lanes<32> {
  static __device__ __forceinline__ int lane() { return linear_thread() % 32; }
  static __device__ __forceinline__ unsigned int mask() { return 0xffffffffu; }
};

}  // namespace detail
}  // namespace cub
