// Lanes and warps by CUB's names.
#pragma once

#include "detail/rank.cuh"

namespace cub {

__device__ __forceinline__ unsigned int LaneId() {
  return static_cast<unsigned int>(detail::linear_thread() % 32);
}
__device__ __forceinline__ unsigned int WarpId() {
  return static_cast<unsigned int>(detail::linear_thread() / 32);
}
__device__ __forceinline__ int RowMajorTid(int x, int y, int) {
  return static_cast<int>(threadIdx.x) +
         x * (static_cast<int>(threadIdx.y) + y * static_cast<int>(threadIdx.z));
}
template <int Width, class T>
__device__ __forceinline__ T ShuffleIndex(T value, int lane, unsigned int mask) {
  return __shfl_sync(mask, value, lane, Width);
}
template <int Width, class T>
__device__ __forceinline__ T ShuffleUp(T value, int step, int, unsigned int mask) {
  return __shfl_up_sync(mask, value, step, Width);
}
template <int Width, class T>
__device__ __forceinline__ T ShuffleDown(T value, int step, int, unsigned int mask) {
  return __shfl_down_sync(mask, value, step, Width);
}

}  // namespace cub
