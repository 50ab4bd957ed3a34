// Copies shared out over threads, and sizes that promise an alignment.
#pragma once

#include "cuda_runtime.h"

namespace cuda {

template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  __host__ __device__ __forceinline__ explicit aligned_size_t(size_t bytes) : value(bytes) {}
  __host__ __device__ __forceinline__ operator size_t() const { return value; }
};

namespace detail {
// Every `step`-th element, from `first` on; `bytes` is a multiple of the element's size.
template <class T>
__device__ __forceinline__ void copy_bytes(T *to, const T *from, size_t bytes, size_t first,
                                           size_t step) {
  for (size_t i = first; i < bytes / sizeof(T); i += step) to[i] = from[i];
}
}  // namespace detail

}  // namespace cuda
