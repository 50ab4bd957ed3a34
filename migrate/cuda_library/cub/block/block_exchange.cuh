// Rearranges a block's items between blocked, striped and given orders.
#pragma once

#include "../detail/rank.cuh"
#include "../util_type.cuh"

namespace cub {

template <class T, int X, int Items, bool TimeSlicing = false, int Y = 1, int Z = 1,
          int LegacyArch = 0>
class BlockExchange {
 public:
  typedef T TempStorage[X * Y * Z * Items];
  __device__ __forceinline__ BlockExchange(TempStorage &storage) : storage_(storage) {}

  template <class Out>
  __device__ void StripedToBlocked(const T (&input)[Items], Out (&output)[Items]) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = 0; i < Items; ++i) storage_[rank + i * X * Y * Z] = input[i];
    __syncthreads();
    for (int i = 0; i < Items; ++i) output[i] = storage_[rank * Items + i];
  }
  template <class Out>
  __device__ void BlockedToStriped(const T (&input)[Items], Out (&output)[Items]) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = 0; i < Items; ++i) storage_[rank * Items + i] = input[i];
    __syncthreads();
    for (int i = 0; i < Items; ++i) output[i] = storage_[rank + i * X * Y * Z];
  }
  // Warp-striped: the items of a warp stay with it, striped over its lanes.
  template <class Out>
  __device__ void BlockedToWarpStriped(const T (&input)[Items], Out (&output)[Items]) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    const int first = rank / 32 * 32, width = warp_threads(first);
    for (int i = 0; i < Items; ++i) storage_[rank * Items + i] = input[i];
    __syncthreads();
    for (int i = 0; i < Items; ++i) output[i] = storage_[first * Items + rank - first + i * width];
  }
  template <class Out>
  __device__ void WarpStripedToBlocked(const T (&input)[Items], Out (&output)[Items]) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    const int first = rank / 32 * 32, width = warp_threads(first);
    for (int i = 0; i < Items; ++i) storage_[first * Items + rank - first + i * width] = input[i];
    __syncthreads();
    for (int i = 0; i < Items; ++i) output[i] = storage_[rank * Items + i];
  }
  template <class Out, class Offset>
  __device__ void ScatterToBlocked(const T (&input)[Items], Out (&output)[Items],
                                   Offset (&ranks)[Items]) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = 0; i < Items; ++i) storage_[ranks[i]] = input[i];
    __syncthreads();
    for (int i = 0; i < Items; ++i) output[i] = storage_[rank * Items + i];
  }
  template <class Out, class Offset>
  __device__ void ScatterToStriped(const T (&input)[Items], Out (&output)[Items],
                                   Offset (&ranks)[Items]) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = 0; i < Items; ++i) storage_[ranks[i]] = input[i];
    __syncthreads();
    for (int i = 0; i < Items; ++i) output[i] = storage_[rank + i * X * Y * Z];
  }
  // Items with a negative rank go nowhere.
  template <class Out, class Offset>
  __device__ void ScatterToStripedGuarded(const T (&input)[Items], Out (&output)[Items],
                                          Offset (&ranks)[Items]) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = 0; i < Items; ++i)
      if (ranks[i] >= 0) storage_[ranks[i]] = input[i];
    __syncthreads();
    for (int i = 0; i < Items; ++i) output[i] = storage_[rank + i * X * Y * Z];
  }

  __device__ __forceinline__ void StripedToBlocked(T (&items)[Items]) {
    StripedToBlocked(items, items);
  }
  __device__ __forceinline__ void BlockedToStriped(T (&items)[Items]) {
    BlockedToStriped(items, items);
  }
  __device__ __forceinline__ void BlockedToWarpStriped(T (&items)[Items]) {
    BlockedToWarpStriped(items, items);
  }
  __device__ __forceinline__ void WarpStripedToBlocked(T (&items)[Items]) {
    WarpStripedToBlocked(items, items);
  }
  template <class Offset>
  __device__ __forceinline__ void ScatterToBlocked(T (&items)[Items], Offset (&ranks)[Items]) {
    ScatterToBlocked(items, items, ranks);
  }
  template <class Offset>
  __device__ __forceinline__ void ScatterToStriped(T (&items)[Items], Offset (&ranks)[Items]) {
    ScatterToStriped(items, items, ranks);
  }

 private:
  static __device__ __forceinline__ int warp_threads(int first) {
    return X * Y * Z - first < 32 ? X * Y * Z - first : 32;
  }

  T *storage_;
};

}  // namespace cub
