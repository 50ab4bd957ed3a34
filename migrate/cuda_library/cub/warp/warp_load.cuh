// Items of a warp between memory and its lanes, blocked or striped.
#pragma once

#include "../detail/rank.cuh"
#include "../util_type.cuh"

namespace cub {

enum WarpLoadAlgorithm {
  WARP_LOAD_DIRECT,
  WARP_LOAD_STRIPED,
  WARP_LOAD_VECTORIZE,
  WARP_LOAD_TRANSPOSE
};

template <class T, int Items, WarpLoadAlgorithm Algorithm = WARP_LOAD_DIRECT, int Width = 32,
          int LegacyArch = 0>
class WarpLoad {
 public:
  struct TempStorage {
    char unused;
  };
  __device__ __forceinline__ WarpLoad() {}
  __device__ __forceinline__ WarpLoad(TempStorage &) {}

  template <class In>
  __device__ __forceinline__ void Load(In source, T (&items)[Items]) {
    Load(source, items, Width * Items);
  }
  template <class In>
  __device__ __forceinline__ void Load(In source, T (&items)[Items], int valid) {
    const int lane = detail::Lanes<Width>::lane();
    for (int i = 0; i < Items; ++i) {
      const int at = Algorithm == WARP_LOAD_STRIPED ? lane + i * Width : lane * Items + i;
      if (at < valid) items[i] = source[at];
    }
  }
  template <class In, class Other>
  __device__ __forceinline__ void Load(In source, T (&items)[Items], int valid, Other other) {
    for (int i = 0; i < Items; ++i) items[i] = static_cast<T>(other);
    Load(source, items, valid);
  }
};

}  // namespace cub
