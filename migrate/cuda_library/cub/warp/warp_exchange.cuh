// Rearranges the items of a warp or a part of it between blocked, striped and given orders.
#pragma once

#include "../detail/rank.cuh"
#include "../util_type.cuh"

namespace cub {

enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

template <class T, int Items, int Width = 32, int LegacyArch = 0,
          WarpExchangeAlgorithm Algorithm = WARP_EXCHANGE_SMEM>
class WarpExchange {
 public:
  typedef T TempStorage[Width * Items];
  __device__ __forceinline__ WarpExchange(TempStorage &storage) : storage_(storage) {}

  template <class Out>
  __device__ void BlockedToStriped(const T (&input)[Items], Out (&output)[Items]) {
    const int lane = detail::Lanes<Width>::lane();
    for (int i = 0; i < Items; ++i) storage_[lane * Items + i] = input[i];
    __syncwarp(detail::Lanes<Width>::mask());
    for (int i = 0; i < Items; ++i) output[i] = storage_[lane + i * Width];
  }
  template <class Out>
  __device__ void StripedToBlocked(const T (&input)[Items], Out (&output)[Items]) {
    const int lane = detail::Lanes<Width>::lane();
    for (int i = 0; i < Items; ++i) storage_[lane + i * Width] = input[i];
    __syncwarp(detail::Lanes<Width>::mask());
    for (int i = 0; i < Items; ++i) output[i] = storage_[lane * Items + i];
  }
  template <class Out, class Offset>
  __device__ void ScatterToStriped(const T (&input)[Items], Out (&output)[Items],
                                   Offset (&ranks)[Items]) {
    const int lane = detail::Lanes<Width>::lane();
    for (int i = 0; i < Items; ++i) storage_[ranks[i]] = input[i];
    __syncwarp(detail::Lanes<Width>::mask());
    for (int i = 0; i < Items; ++i) output[i] = storage_[lane + i * Width];
  }
  template <class Offset>
  __device__ __forceinline__ void ScatterToStriped(T (&items)[Items], Offset (&ranks)[Items]) {
    ScatterToStriped(items, items, ranks);
  }

 private:
  T *storage_;
};

}  // namespace cub
