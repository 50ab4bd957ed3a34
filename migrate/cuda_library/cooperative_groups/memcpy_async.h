// Copies by a group. They are complete when wait() has been passed; here they are so at once.
#pragma once

#include "details/partition.h"

namespace cooperative_groups {

// `bytes` is a number, or an aligned_size_t that converts to one; a multiple of the element's size.
template <class Group, class T, class U, class Bytes>
__device__ __forceinline__ void memcpy_async(const Group &g, T *to, const U *from, Bytes bytes) {
  static_assert(sizeof(T) == sizeof(U), "copies are between elements of one type");
  const size_t count = static_cast<size_t>(bytes) / sizeof(T);
  for (size_t i = g.thread_rank(); i < count; i += g.size()) to[i] = from[i];
}
// Counts of elements on both sides: the smaller one is copied.
template <class Group, class T, class U, class ToCount, class FromCount>
__device__ __forceinline__ void memcpy_async(const Group &g, T *to, ToCount to_count,
                                             const U *from, FromCount from_count) {
  const size_t count = static_cast<size_t>(to_count) < static_cast<size_t>(from_count)
                           ? static_cast<size_t>(to_count)
                           : static_cast<size_t>(from_count);
  for (size_t i = g.thread_rank(); i < count; i += g.size()) to[i] = from[i];
}
template <class Group>
__device__ __forceinline__ void wait(const Group &g) { g.sync(); }
template <unsigned int Stages, class Group>
__device__ __forceinline__ void wait_prior(const Group &g) { g.sync(); }

}  // namespace cooperative_groups
