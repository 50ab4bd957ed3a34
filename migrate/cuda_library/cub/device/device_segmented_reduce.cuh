// One value out of each segment of a range.
#pragma once

#include <limits>
#include "../detail/device.cuh"

namespace cub {

struct DeviceSegmentedReduce {
  template <class In, class Out, class Begins, class Ends, class Op, class T>
  static cudaError_t Reduce(void *storage, std::size_t &bytes, In in, Out out, int segments,
                            Begins begins, Ends ends, Op op, T initial, cudaStream_t = 0,
                            bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    for (int s = 0; s < segments; ++s) {
      T total = initial;
      for (auto i = begins[s]; i < ends[s]; ++i) total = op(total, in[i]);
      out[s] = total;
    }
    return cudaSuccess;
  }
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t Sum(void *storage, std::size_t &bytes, In in, Out out, int segments,
                         Begins begins, Ends ends, cudaStream_t stream = 0, bool = false) {
    typedef detail::output_or<Out, detail::value_of<In>> T;
    return Reduce(storage, bytes, in, out, segments, begins, ends, cub::Sum(), T(0), stream);
  }
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t Min(void *storage, std::size_t &bytes, In in, Out out, int segments,
                         Begins begins, Ends ends, cudaStream_t stream = 0, bool = false) {
    typedef detail::value_of<In> T;
    return Reduce(storage, bytes, in, out, segments, begins, ends, cub::Min(),
                  std::numeric_limits<T>::max(), stream);
  }
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t Max(void *storage, std::size_t &bytes, In in, Out out, int segments,
                         Begins begins, Ends ends, cudaStream_t stream = 0, bool = false) {
    typedef detail::value_of<In> T;
    return Reduce(storage, bytes, in, out, segments, begins, ends, cub::Max(),
                  std::numeric_limits<T>::lowest(), stream);
  }
  // Places count from the start of their segment.
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t ArgMin(void *storage, std::size_t &bytes, In in, Out out, int segments,
                            Begins begins, Ends ends, cudaStream_t = 0, bool = false) {
    return best(storage, bytes, in, out, segments, begins, ends, cub::ArgMin(),
                std::numeric_limits<detail::value_of<In>>::max());
  }
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t ArgMax(void *storage, std::size_t &bytes, In in, Out out, int segments,
                            Begins begins, Ends ends, cudaStream_t = 0, bool = false) {
    return best(storage, bytes, in, out, segments, begins, ends, cub::ArgMax(),
                std::numeric_limits<detail::value_of<In>>::lowest());
  }

 private:
  template <class In, class Out, class Begins, class Ends, class Op, class T>
  static cudaError_t best(void *storage, std::size_t &bytes, In in, Out out, int segments,
                          Begins begins, Ends ends, Op op, T nothing) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    for (int s = 0; s < segments; ++s) {
      KeyValuePair<int, T> found(1, nothing);
      for (auto i = begins[s]; i < ends[s]; ++i) {
        const KeyValuePair<int, T> item(static_cast<int>(i - begins[s]), in[i]);
        found = i == begins[s] ? item : op(found, item);
      }
      out[s] = found;
    }
    return cudaSuccess;
  }
};

}  // namespace cub
