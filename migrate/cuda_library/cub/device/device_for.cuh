// Applies a function to each element or index.
#pragma once

#include "../detail/device.cuh"

namespace cub {

struct DeviceFor {
  template <class Index, class F>
  static cudaError_t Bulk(Index n, F f, cudaStream_t = 0) {
    for (Index i = 0; i < n; ++i) f(i);
    return cudaSuccess;
  }
  template <class Index, class F>
  static cudaError_t Bulk(void *storage, std::size_t &bytes, Index n, F f, cudaStream_t = 0) {
    return detail::has_storage(storage, bytes) ? Bulk(n, f) : cudaSuccess;
  }
  template <class It, class F>
  static cudaError_t ForEach(It first, It last, F f, cudaStream_t = 0) {
    for (; first != last; ++first) f(*first);
    return cudaSuccess;
  }
  template <class It, class Size, class F>
  static cudaError_t ForEachN(It first, Size n, F f, cudaStream_t = 0) {
    for (Size i = 0; i < n; ++i, ++first) f(*first);
    return cudaSuccess;
  }
};

}  // namespace cub
