// Groups out of groups, and work for one thread of a group.
#pragma once

#include "whole_groups.h"

namespace cooperative_groups {

template <unsigned int Size, class Parent>
__device__ __forceinline__ thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
  return thread_block_tile<Size, Parent>();
}
__device__ __forceinline__ thread_group tiled_partition(const thread_block &, unsigned int size) {
  return thread_group(coalesced_group(details::tile_mask(size), size, 0, 1));
}
// Lanes that follow each other in a group's order.
__device__ __forceinline__ coalesced_group tiled_partition(const coalesced_group &parent,
                                                           unsigned int size) {
  const unsigned int first = parent.thread_rank() / size * size;
  unsigned int mask = 0, count = 0;
  for (unsigned int rank = first; rank < first + size && rank < parent.size(); ++rank) {
    mask |= 1u << details::lane_of_rank(parent.mask(), rank);
    ++count;
  }
  return coalesced_group(mask, count, first / size, (parent.size() + size - 1) / size);
}
__device__ __forceinline__ thread_group tiled_partition(const thread_group &parent,
                                                        unsigned int size) {
  if (parent.is_block()) return thread_group(coalesced_group(details::tile_mask(size), size, 0, 1));
  return thread_group(tiled_partition(coalesced_group(parent.mask()), size));
}

template <class Group>
__device__ __forceinline__ coalesced_group binary_partition(const Group &g, bool predicate) {
  const unsigned int mask = g.mask();
  const unsigned int yes = __ballot_sync(mask, predicate) & mask;
  const unsigned int own = predicate ? yes : mask & ~yes;
  return coalesced_group(own, static_cast<unsigned int>(__popc(own)), predicate ? 0 : 1, 2);
}
template <class Group, class Label>
__device__ __forceinline__ coalesced_group labeled_partition(const Group &g, Label label) {
  return coalesced_group(__match_any_sync(g.mask(), label));
}

template <class Group, class F, class... Args>
__device__ __forceinline__ void invoke_one(const Group &g, F f, Args... args) {
  if (g.thread_rank() == 0) f(args...);
}
template <class Group, class F, class... Args>
__device__ __forceinline__ auto invoke_one_broadcast(const Group &g, F f, Args... args)
    -> decltype(f(args...)) {
  decltype(f(args...)) result{};
  if (g.thread_rank() == 0) result = f(args...);
  return g.shfl(result, 0);
}

}  // namespace cooperative_groups
