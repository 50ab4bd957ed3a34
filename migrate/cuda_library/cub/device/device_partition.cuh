// Chosen elements to the front in order, the others to the back in reverse order.
#pragma once

#include "../detail/device.cuh"

namespace cub {

struct DevicePartition {
  template <class In, class Flags, class Out, class Count, class Size>
  static cudaError_t Flagged(void *storage, std::size_t &bytes, In in, Flags flags, Out out,
                             Count count, Size n, cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    Size front = 0, back = n;
    for (Size i = 0; i < n; ++i) {
      if (flags[i]) out[front++] = in[i];
      else out[--back] = in[i];
    }
    *count = front;
    return cudaSuccess;
  }
  template <class In, class Out, class Count, class Size, class Choose>
  static cudaError_t If(void *storage, std::size_t &bytes, In in, Out out, Count count, Size n,
                        Choose choose, cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    Size front = 0, back = n;
    for (Size i = 0; i < n; ++i) {
      if (choose(in[i])) out[front++] = in[i];
      else out[--back] = in[i];
    }
    *count = front;
    return cudaSuccess;
  }
};

}  // namespace cub
