// Counts of a block's items by bin.
#pragma once

#include "../detail/rank.cuh"
#include "../util_type.cuh"

namespace cub {

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int X, int Items, int Bins, BlockHistogramAlgorithm Algorithm = BLOCK_HISTO_SORT,
          int Y = 1, int Z = 1, int LegacyArch = 0>
class BlockHistogram {
 public:
  struct TempStorage {
    char unused;
  };
  __device__ __forceinline__ BlockHistogram() {}
  __device__ __forceinline__ BlockHistogram(TempStorage &) {}

  template <class Counter>
  __device__ void InitHistogram(Counter *histogram) {
    for (int bin = detail::Thread<X, Y, Z>::rank(); bin < Bins; bin += X * Y * Z)
      histogram[bin] = 0;
  }
  template <class Counter>
  __device__ void Composite(T (&items)[Items], Counter *histogram) {
    __syncthreads();
    for (int i = 0; i < Items; ++i)
      atomicAdd(&histogram[static_cast<unsigned int>(items[i])], Counter(1));
  }
  template <class Counter>
  __device__ void Histogram(T (&items)[Items], Counter *histogram) {
    InitHistogram(histogram);
    Composite(items, histogram);
  }
};

}  // namespace cub
