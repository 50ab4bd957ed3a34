// How the lanes of a group see each other's values: numbers travel by shuffle, anything else and
// groups of odd width by shared memory.
#pragma once

#include <type_traits>

#include "rank.cuh"

namespace cub {
namespace detail {

template <class T, int Width>
struct CanShuffle {
  static const bool value = std::is_arithmetic<T>::value && (Width & (Width - 1)) == 0;
};

template <class T, int Width, bool Shuffled = CanShuffle<T, Width>::value>
struct LaneExchange {
  typedef char Storage[1];
  __device__ __forceinline__ LaneExchange(char *) {}

  // The value of the lane `step` above; one's own where there is none.
  __device__ __forceinline__ T down(T value, int step) {
    return __shfl_down_sync(Lanes<Width>::mask(), value, step, Width);
  }
  __device__ __forceinline__ T up(T value, int step) {
    return __shfl_up_sync(Lanes<Width>::mask(), value, step, Width);
  }
  __device__ __forceinline__ T of(T value, int lane) {
    return __shfl_sync(Lanes<Width>::mask(), value, lane, Width);
  }
};

template <class T, int Width>
struct LaneExchange<T, Width, false> {
  typedef T Storage[Width];
  T *values;
  __device__ __forceinline__ LaneExchange(T *storage) : values(storage) {}

  __device__ __forceinline__ T down(T value, int step) {
    const int lane = Lanes<Width>::lane() + step;
    return of(value, lane < Width ? lane : Lanes<Width>::lane());
  }
  __device__ __forceinline__ T up(T value, int step) {
    const int lane = Lanes<Width>::lane() - step;
    return of(value, lane >= 0 ? lane : Lanes<Width>::lane());
  }
  __device__ __forceinline__ T of(T value, int lane) {
    __syncwarp(Lanes<Width>::mask());
    values[Lanes<Width>::lane()] = value;
    __syncwarp(Lanes<Width>::mask());
    return values[lane];
  }
};

}  // namespace detail
}  // namespace cub
