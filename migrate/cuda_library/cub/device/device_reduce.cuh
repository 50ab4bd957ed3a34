// One value out of a range, or one for each run of equal keys. Elements are folded in order.
#pragma once

#include <limits>
#include "../detail/device.cuh"

namespace cub {

struct DeviceReduce {
  template <class In, class Out, class Op, class T, class Size>
  static cudaError_t Reduce(void *storage, std::size_t &bytes, In in, Out out, Size n, Op op,
                            T initial, cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    T total = initial;
    for (Size i = 0; i < n; ++i) total = op(total, in[i]);
    *out = total;
    return cudaSuccess;
  }
  template <class In, class Out, class Size>
  static cudaError_t Sum(void *storage, std::size_t &bytes, In in, Out out, Size n,
                         cudaStream_t stream = 0, bool = false) {
    typedef detail::output_or<Out, detail::value_of<In>> T;
    return Reduce(storage, bytes, in, out, n, cub::Sum(), T(0), stream);
  }
  template <class In, class Out, class Size>
  static cudaError_t Min(void *storage, std::size_t &bytes, In in, Out out, Size n,
                         cudaStream_t stream = 0, bool = false) {
    typedef detail::value_of<In> T;
    return Reduce(storage, bytes, in, out, n, cub::Min(), highest<T>(), stream);
  }
  template <class In, class Out, class Size>
  static cudaError_t Max(void *storage, std::size_t &bytes, In in, Out out, Size n,
                         cudaStream_t stream = 0, bool = false) {
    typedef detail::value_of<In> T;
    return Reduce(storage, bytes, in, out, n, cub::Max(), lowest<T>(), stream);
  }
  // The first of equal elements wins.
  template <class In, class Out, class Size>
  static cudaError_t ArgMin(void *storage, std::size_t &bytes, In in, Out out, Size n,
                            cudaStream_t = 0, bool = false) {
    return best(storage, bytes, in, out, n, cub::ArgMin(), highest<detail::value_of<In>>());
  }
  template <class In, class Out, class Size>
  static cudaError_t ArgMax(void *storage, std::size_t &bytes, In in, Out out, Size n,
                            cudaStream_t = 0, bool = false) {
    return best(storage, bytes, in, out, n, cub::ArgMax(), lowest<detail::value_of<In>>());
  }
  template <class In, class Out, class Size, class Op, class F, class T>
  static cudaError_t TransformReduce(void *storage, std::size_t &bytes, In in, Out out, Size n,
                                     Op op, F f, T initial, cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    T total = initial;
    for (Size i = 0; i < n; ++i) total = op(total, f(in[i]));
    *out = total;
    return cudaSuccess;
  }
  template <class Keys, class UniqueOut, class Values, class Out, class Runs, class Op, class Size>
  static cudaError_t ReduceByKey(void *storage, std::size_t &bytes, Keys keys, UniqueOut unique,
                                 Values values, Out out, Runs runs, Op op, Size n,
                                 cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    Size count = 0;
    for (Size i = 0; i < n;) {
      const detail::value_of<Keys> key = keys[i];
      detail::value_of<Values> total = values[i];
      for (++i; i < n && keys[i] == key; ++i) total = op(total, values[i]);
      unique[count] = key;
      out[count] = total;
      ++count;
    }
    *runs = count;
    return cudaSuccess;
  }

 private:
  template <class T>
  static T lowest() { return std::numeric_limits<T>::lowest(); }
  template <class T>
  static T highest() { return std::numeric_limits<T>::max(); }
  // No element at all: place 1, as documented.
  template <class In, class Out, class Size, class Op, class T>
  static cudaError_t best(void *storage, std::size_t &bytes, In in, Out out, Size n, Op op,
                          T nothing) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    KeyValuePair<int, T> found(1, nothing);
    for (Size i = 0; i < n; ++i) {
      const KeyValuePair<int, T> item(static_cast<int>(i), in[i]);
      found = i == 0 ? item : op(found, item);
    }
    *out = found;
    return cudaSuccess;
  }
};

}  // namespace cub
