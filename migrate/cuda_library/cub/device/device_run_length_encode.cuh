// Runs of equal elements.
#pragma once

#include "../detail/device.cuh"

namespace cub {

struct DeviceRunLengthEncode {
  template <class In, class UniqueOut, class Lengths, class Runs, class Size>
  static cudaError_t Encode(void *storage, std::size_t &bytes, In in, UniqueOut unique,
                            Lengths lengths, Runs runs, Size n, cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    Size count = 0;
    for (Size i = 0; i < n;) {
      const Size start = i;
      for (++i; i < n && in[i] == in[start]; ++i) {
      }
      unique[count] = in[start];
      lengths[count] = i - start;
      ++count;
    }
    *runs = count;
    return cudaSuccess;
  }
  // Runs of two and more.
  template <class In, class Offsets, class Lengths, class Runs, class Size>
  static cudaError_t NonTrivialRuns(void *storage, std::size_t &bytes, In in, Offsets offsets,
                                    Lengths lengths, Runs runs, Size n, cudaStream_t = 0,
                                    bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    Size count = 0;
    for (Size i = 0; i < n;) {
      const Size start = i;
      for (++i; i < n && in[i] == in[start]; ++i) {
      }
      if (i - start < 2) continue;
      offsets[count] = start;
      lengths[count] = i - start;
      ++count;
    }
    *runs = count;
    return cudaSuccess;
  }
};

}  // namespace cub
