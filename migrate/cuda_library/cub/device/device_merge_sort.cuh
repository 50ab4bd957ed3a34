// Stable sorts by any strict weak order.
#pragma once

#include "../../thrust/sort.h"
#include "../detail/device.cuh"

namespace cub {

struct DeviceMergeSort {
  template <class Keys, class Size, class Less>
  static cudaError_t SortKeys(void *storage, std::size_t &bytes, Keys keys, Size n, Less less,
                              cudaStream_t = 0, bool = false) {
    if (detail::has_storage(storage, bytes)) thrust::stable_sort(keys, keys + n, less);
    return cudaSuccess;
  }
  template <class In, class Out, class Size, class Less>
  static cudaError_t SortKeysCopy(void *storage, std::size_t &bytes, In in, Out out, Size n,
                                  Less less, cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    for (Size i = 0; i < n; ++i) out[i] = in[i];
    thrust::stable_sort(out, out + n, less);
    return cudaSuccess;
  }
  template <class Keys, class Values, class Size, class Less>
  static cudaError_t SortPairs(void *storage, std::size_t &bytes, Keys keys, Values values, Size n,
                               Less less, cudaStream_t = 0, bool = false) {
    if (detail::has_storage(storage, bytes))
      thrust::stable_sort_by_key(keys, keys + n, values, less);
    return cudaSuccess;
  }
  template <class Keys, class Size, class Less>
  static cudaError_t StableSortKeys(void *storage, std::size_t &bytes, Keys keys, Size n, Less less,
                                    cudaStream_t = 0, bool = false) {
    return SortKeys(storage, bytes, keys, n, less);
  }
  template <class Keys, class Values, class Size, class Less>
  static cudaError_t StableSortPairs(void *storage, std::size_t &bytes, Keys keys, Values values,
                                     Size n, Less less, cudaStream_t = 0, bool = false) {
    return SortPairs(storage, bytes, keys, values, n, less);
  }
};

}  // namespace cub
