// Items of a block between memory and its threads. Except when striped, thread t holds the items
// t * Items ... t * Items + Items - 1; the algorithms that transpose end the same way and differ only
// in how they reach memory.
#pragma once

#include "../detail/rank.cuh"
#include "../util_type.cuh"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int Items, class In>
__device__ __forceinline__ void LoadDirectBlocked(int thread, In source, T (&items)[Items]) {
  for (int i = 0; i < Items; ++i) items[i] = source[thread * Items + i];
}
template <class T, int Items, class In>
__device__ __forceinline__ void LoadDirectBlocked(int thread, In source, T (&items)[Items],
                                                  int valid) {
  for (int i = 0; i < Items; ++i)
    if (thread * Items + i < valid) items[i] = source[thread * Items + i];
}
template <class T, int Items, class In, class Other>
__device__ __forceinline__ void LoadDirectBlocked(int thread, In source, T (&items)[Items],
                                                  int valid, Other other) {
  for (int i = 0; i < Items; ++i) {
    items[i] = static_cast<T>(other);
    if (thread * Items + i < valid) items[i] = source[thread * Items + i];
  }
}
template <int Threads, class T, int Items, class In>
__device__ __forceinline__ void LoadDirectStriped(int thread, In source, T (&items)[Items]) {
  for (int i = 0; i < Items; ++i) items[i] = source[thread + i * Threads];
}
template <int Threads, class T, int Items, class In>
__device__ __forceinline__ void LoadDirectStriped(int thread, In source, T (&items)[Items],
                                                  int valid) {
  for (int i = 0; i < Items; ++i)
    if (thread + i * Threads < valid) items[i] = source[thread + i * Threads];
}
template <int Threads, class T, int Items, class In, class Other>
__device__ __forceinline__ void LoadDirectStriped(int thread, In source, T (&items)[Items],
                                                  int valid, Other other) {
  for (int i = 0; i < Items; ++i) {
    items[i] = static_cast<T>(other);
    if (thread + i * Threads < valid) items[i] = source[thread + i * Threads];
  }
}

template <class T, int X, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1,
          int Z = 1, int LegacyArch = 0>
class BlockLoad {
 public:
  struct TempStorage {
    char unused;
  };
  __device__ __forceinline__ BlockLoad() {}
  __device__ __forceinline__ BlockLoad(TempStorage &) {}

  template <class In>
  __device__ __forceinline__ void Load(In source, T (&items)[Items]) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = 0; i < Items; ++i)
      items[i] = source[Algorithm == BLOCK_LOAD_STRIPED ? rank + i * X * Y * Z : rank * Items + i];
  }
  template <class In>
  __device__ __forceinline__ void Load(In source, T (&items)[Items], int valid) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = 0; i < Items; ++i) {
      const int at = Algorithm == BLOCK_LOAD_STRIPED ? rank + i * X * Y * Z : rank * Items + i;
      if (at < valid) items[i] = source[at];
    }
  }
  template <class In, class Other>
  __device__ __forceinline__ void Load(In source, T (&items)[Items], int valid, Other other) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = 0; i < Items; ++i) {
      const int at = Algorithm == BLOCK_LOAD_STRIPED ? rank + i * X * Y * Z : rank * Items + i;
      items[i] = static_cast<T>(other);
      if (at < valid) items[i] = source[at];
    }
  }
};

}  // namespace cub
