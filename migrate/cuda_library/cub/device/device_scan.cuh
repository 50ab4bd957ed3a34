// Prefix sums, whole or by runs of equal keys. Input and output may be the same.
#pragma once

#include "../detail/device.cuh"

namespace cub {

struct DeviceScan {
  template <class In, class Out, class Op, class Size>
  static cudaError_t InclusiveScan(void *storage, std::size_t &bytes, In in, Out out, Op op,
                                   Size n, cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes) || n == 0) return cudaSuccess;
    detail::value_of<In> sum = in[0];
    out[0] = sum;
    for (Size i = 1; i < n; ++i) {
      sum = op(sum, in[i]);
      out[i] = sum;
    }
    return cudaSuccess;
  }
  template <class In, class Out, class Op, class T, class Size>
  static cudaError_t ExclusiveScan(void *storage, std::size_t &bytes, In in, Out out, Op op,
                                   T initial, Size n, cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    T sum = initial;
    for (Size i = 0; i < n; ++i) {
      const detail::value_of<In> item = in[i];
      out[i] = sum;
      sum = op(sum, item);
    }
    return cudaSuccess;
  }
  template <class In, class Out, class Size>
  static cudaError_t InclusiveSum(void *storage, std::size_t &bytes, In in, Out out, Size n,
                                  cudaStream_t stream = 0, bool = false) {
    return InclusiveScan(storage, bytes, in, out, cub::Sum(), n, stream);
  }
  template <class In, class Out, class Size>
  static cudaError_t ExclusiveSum(void *storage, std::size_t &bytes, In in, Out out, Size n,
                                  cudaStream_t stream = 0, bool = false) {
    return ExclusiveScan(storage, bytes, in, out, cub::Sum(), detail::value_of<In>(0), n, stream);
  }
  // In place.
  template <class It, class Size, class = typename std::enable_if<std::is_integral<Size>::value>::type>
  static cudaError_t InclusiveSum(void *storage, std::size_t &bytes, It data, Size n,
                                  cudaStream_t stream = 0) {
    return InclusiveSum(storage, bytes, data, data, n, stream);
  }
  template <class It, class Size, class = typename std::enable_if<std::is_integral<Size>::value>::type>
  static cudaError_t ExclusiveSum(void *storage, std::size_t &bytes, It data, Size n,
                                  cudaStream_t stream = 0) {
    return ExclusiveSum(storage, bytes, data, data, n, stream);
  }
  template <class Keys, class In, class Out, class Op, class Size, class Equal = cub::Equality>
  static cudaError_t InclusiveScanByKey(void *storage, std::size_t &bytes, Keys keys, In in,
                                        Out out, Op op, Size n, Equal equal = Equal(),
                                        cudaStream_t = 0) {
    if (!detail::has_storage(storage, bytes) || n == 0) return cudaSuccess;
    detail::value_of<In> sum = in[0];
    out[0] = sum;
    for (Size i = 1; i < n; ++i) {
      const detail::value_of<In> item = in[i];
      sum = equal(keys[i - 1], keys[i]) ? op(sum, item) : item;
      out[i] = sum;
    }
    return cudaSuccess;
  }
  template <class Keys, class In, class Out, class Op, class T, class Size,
            class Equal = cub::Equality>
  static cudaError_t ExclusiveScanByKey(void *storage, std::size_t &bytes, Keys keys, In in,
                                        Out out, Op op, T initial, Size n, Equal equal = Equal(),
                                        cudaStream_t = 0) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    T sum = initial;
    for (Size i = 0; i < n; ++i) {
      const detail::value_of<In> item = in[i];
      if (i > 0 && !equal(keys[i - 1], keys[i])) sum = initial;
      out[i] = sum;
      sum = op(sum, item);
    }
    return cudaSuccess;
  }
  template <class Keys, class In, class Out, class Size, class Equal = cub::Equality>
  static cudaError_t InclusiveSumByKey(void *storage, std::size_t &bytes, Keys keys, In in,
                                       Out out, Size n, Equal equal = Equal(), cudaStream_t = 0) {
    return InclusiveScanByKey(storage, bytes, keys, in, out, cub::Sum(), n, equal);
  }
  template <class Keys, class In, class Out, class Size, class Equal = cub::Equality>
  static cudaError_t ExclusiveSumByKey(void *storage, std::size_t &bytes, Keys keys, In in,
                                       Out out, Size n, Equal equal = Equal(), cudaStream_t = 0) {
    return ExclusiveScanByKey(storage, bytes, keys, in, out, cub::Sum(), detail::value_of<In>(0),
                              n, equal);
  }
};

}  // namespace cub
