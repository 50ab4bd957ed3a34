// Copies the elements that are chosen, in order.
#pragma once

#include "../detail/device.cuh"

namespace cub {

struct DeviceSelect {
  template <class In, class Flags, class Out, class Count, class Size>
  static cudaError_t Flagged(void *storage, std::size_t &bytes, In in, Flags flags, Out out,
                             Count count, Size n, cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    Size kept = 0;
    for (Size i = 0; i < n; ++i)
      if (flags[i]) out[kept++] = in[i];
    *count = kept;
    return cudaSuccess;
  }
  template <class In, class Out, class Count, class Size, class Choose>
  static cudaError_t If(void *storage, std::size_t &bytes, In in, Out out, Count count, Size n,
                        Choose choose, cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    Size kept = 0;
    for (Size i = 0; i < n; ++i)
      if (choose(in[i])) out[kept++] = in[i];
    *count = kept;
    return cudaSuccess;
  }
  // In place.
  template <class It, class Count, class Size, class Choose,
            class = typename std::enable_if<std::is_integral<Size>::value>::type>
  static cudaError_t If(void *storage, std::size_t &bytes, It data, Count count, Size n,
                        Choose choose, cudaStream_t = 0) {
    return If(storage, bytes, data, data, count, n, choose);
  }
  template <class It, class Flags, class Count, class Size,
            class = typename std::enable_if<std::is_integral<Size>::value>::type>
  static cudaError_t Flagged(void *storage, std::size_t &bytes, It data, Flags flags, Count count,
                             Size n, cudaStream_t = 0) {
    return Flagged(storage, bytes, data, flags, data, count, n);
  }
  template <class In, class Out, class Count, class Size>
  static cudaError_t Unique(void *storage, std::size_t &bytes, In in, Out out, Count count, Size n,
                            cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    Size kept = 0;
    for (Size i = 0; i < n; ++i)
      if (i == 0 || !(in[i] == in[i - 1])) out[kept++] = in[i];
    *count = kept;
    return cudaSuccess;
  }
  template <class Keys, class Values, class KeysOut, class ValuesOut, class Count, class Size>
  static cudaError_t UniqueByKey(void *storage, std::size_t &bytes, Keys keys, Values values,
                                 KeysOut keys_out, ValuesOut values_out, Count count, Size n,
                                 cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    Size kept = 0;
    for (Size i = 0; i < n; ++i) {
      if (i > 0 && keys[i] == keys[i - 1]) continue;
      keys_out[kept] = keys[i];
      values_out[kept] = values[i];
      ++kept;
    }
    *count = kept;
    return cudaSuccess;
  }
};

}  // namespace cub
