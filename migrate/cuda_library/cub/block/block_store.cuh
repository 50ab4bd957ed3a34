// The way back of block_load.cuh.
#pragma once

#include "../detail/rank.cuh"
#include "../util_type.cuh"

namespace cub {

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int Items, class Out>
__device__ __forceinline__ void StoreDirectBlocked(int thread, Out target, T (&items)[Items]) {
  for (int i = 0; i < Items; ++i) target[thread * Items + i] = items[i];
}
template <class T, int Items, class Out>
__device__ __forceinline__ void StoreDirectBlocked(int thread, Out target, T (&items)[Items],
                                                   int valid) {
  for (int i = 0; i < Items; ++i)
    if (thread * Items + i < valid) target[thread * Items + i] = items[i];
}
template <int Threads, class T, int Items, class Out>
__device__ __forceinline__ void StoreDirectStriped(int thread, Out target, T (&items)[Items]) {
  for (int i = 0; i < Items; ++i) target[thread + i * Threads] = items[i];
}
template <int Threads, class T, int Items, class Out>
__device__ __forceinline__ void StoreDirectStriped(int thread, Out target, T (&items)[Items],
                                                   int valid) {
  for (int i = 0; i < Items; ++i)
    if (thread + i * Threads < valid) target[thread + i * Threads] = items[i];
}

template <class T, int X, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1,
          int Z = 1, int LegacyArch = 0>
class BlockStore {
 public:
  struct TempStorage {
    char unused;
  };
  __device__ __forceinline__ BlockStore() {}
  __device__ __forceinline__ BlockStore(TempStorage &) {}

  template <class Out>
  __device__ __forceinline__ void Store(Out target, T (&items)[Items]) {
    Store(target, items, X * Y * Z * Items);
  }
  template <class Out>
  __device__ __forceinline__ void Store(Out target, T (&items)[Items], int valid) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = 0; i < Items; ++i) {
      const int at = Algorithm == BLOCK_STORE_STRIPED ? rank + i * X * Y * Z : rank * Items + i;
      if (at < valid) target[at] = items[i];
    }
  }
};

}  // namespace cub
