// Reductions over the threads of a tile or a coalesced group.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class T = void>
struct plus {
  __device__ __forceinline__ T operator()(T a, T b) const { return a + b; }
};
template <class T = void>
struct less {
  __device__ __forceinline__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
  __device__ __forceinline__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T = void>
struct bit_and {
  __device__ __forceinline__ T operator()(T a, T b) const { return a & b; }
};
template <class T = void>
struct bit_or {
  __device__ __forceinline__ T operator()(T a, T b) const { return a | b; }
};
template <class T = void>
struct bit_xor {
  __device__ __forceinline__ T operator()(T a, T b) const { return a ^ b; }
};
template <>
struct plus<void> {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return a + b; }
};
template <>
struct less<void> {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <>
struct greater<void> {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <>
struct bit_and<void> {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return a & b; }
};
template <>
struct bit_or<void> {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return a | b; }
};
template <>
struct bit_xor<void> {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const { return a ^ b; }
};

// Every thread gets the result. A whole tile is folded by the butterfly of a device, so that
// floating-point results agree and all threads get the same bits.
template <class Group, class T, class Op>
__device__ __forceinline__ T reduce(const Group &g, T value, Op op) {
  const unsigned int size = g.size();
  if ((size & (size - 1)) == 0) {
    for (unsigned int step = size / 2; step > 0; step /= 2) value = op(value, g.shfl_xor(value, step));
    return value;
  }
  T result = g.shfl(value, 0);
  for (unsigned int rank = 1; rank < size; ++rank) result = op(result, g.shfl(value, rank));
  return result;
}

}  // namespace cooperative_groups
