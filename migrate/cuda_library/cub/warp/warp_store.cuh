// The way back of warp_load.cuh.
#pragma once

#include "../detail/rank.cuh"
#include "../util_type.cuh"

namespace cub {

enum WarpStoreAlgorithm {
  WARP_STORE_DIRECT,
  WARP_STORE_STRIPED,
  WARP_STORE_VECTORIZE,
  WARP_STORE_TRANSPOSE
};

template <class T, int Items, WarpStoreAlgorithm Algorithm = WARP_STORE_DIRECT, int Width = 32,
          int LegacyArch = 0>
class WarpStore {
 public:
  struct TempStorage {
    char unused;
  };
  __device__ __forceinline__ WarpStore() {}
  __device__ __forceinline__ WarpStore(TempStorage &) {}

  template <class Out>
  __device__ __forceinline__ void Store(Out target, T (&items)[Items]) {
    Store(target, items, Width * Items);
  }
  template <class Out>
  __device__ __forceinline__ void Store(Out target, T (&items)[Items], int valid) {
    const int lane = detail::Lanes<Width>::lane();
    for (int i = 0; i < Items; ++i) {
      const int at = Algorithm == WARP_STORE_STRIPED ? lane + i * Width : lane * Items + i;
      if (at < valid) target[at] = items[i];
    }
  }
};

}  // namespace cub
