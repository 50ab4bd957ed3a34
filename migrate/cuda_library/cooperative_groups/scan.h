// Prefix sums over the threads of a tile or a coalesced group.
#pragma once

#include "reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Op>
__device__ __forceinline__ T inclusive_scan(const Group &g, T value, Op op) {
  for (unsigned int step = 1; step < g.size(); step *= 2) {
    const T other = g.shfl_up(value, step);
    if (g.thread_rank() >= step) value = op(other, value);
  }
  return value;
}
template <class Group, class T>
__device__ __forceinline__ T inclusive_scan(const Group &g, T value) {
  return inclusive_scan(g, value, plus<T>());
}
// Thread 0 gets a value-initialised T.
template <class Group, class T, class Op>
__device__ __forceinline__ T exclusive_scan(const Group &g, T value, Op op) {
  const T before = g.shfl_up(inclusive_scan(g, value, op), 1);
  return g.thread_rank() > 0 ? before : T();
}
template <class Group, class T>
__device__ __forceinline__ T exclusive_scan(const Group &g, T value) {
  return exclusive_scan(g, value, plus<T>());
}

}  // namespace cooperative_groups
