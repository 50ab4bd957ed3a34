// Stable sorts of segments by the bits of the keys.
#pragma once

#include "../detail/device_sort.cuh"

namespace cub {

struct DeviceSegmentedRadixSort {
  template <class Key, class Value, class Size, class Begins, class Ends>
  static cudaError_t SortPairs(void *storage, std::size_t &bytes, const Key *keys_in,
                               Key *keys_out, const Value *values_in, Value *values_out, Size n, int segments, Begins begins, Ends ends,
                               int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                               cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    return run(keys_in, keys_out, values_in, values_out, n, segments, begins, ends, false, begin_bit, end_bit);
  }
  template <class Key, class Value, class Size, class Begins, class Ends>
  static cudaError_t SortPairs(void *storage, std::size_t &bytes, DoubleBuffer<Key> &keys,
                               DoubleBuffer<Value> &values, Size n, int segments, Begins begins, Ends ends, int begin_bit = 0,
                               int end_bit = sizeof(Key) * 8, cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    run(keys.Current(), keys.Alternate(), values.Current(), values.Alternate(), n, segments, begins, ends, false,
        begin_bit, end_bit);
    keys.selector ^= 1;
    values.selector ^= 1;
    return cudaSuccess;
  }
  template <class Key, class Size, class Begins, class Ends>
  static cudaError_t SortKeys(void *storage, std::size_t &bytes, const Key *keys_in, Key *keys_out,
                              Size n, int segments, Begins begins, Ends ends, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                              cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    NullType *none = nullptr;
    return run(keys_in, keys_out, none, none, n, segments, begins, ends, false, begin_bit, end_bit);
  }
  template <class Key, class Size, class Begins, class Ends>
  static cudaError_t SortKeys(void *storage, std::size_t &bytes, DoubleBuffer<Key> &keys, Size n, int segments, Begins begins, Ends ends,
                              int begin_bit = 0, int end_bit = sizeof(Key) * 8, cudaStream_t = 0,
                              bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    NullType *none = nullptr;
    run(keys.Current(), keys.Alternate(), none, none, n, segments, begins, ends, false, begin_bit, end_bit);
    keys.selector ^= 1;
    return cudaSuccess;
  }
  template <class Key, class Value, class Size, class Begins, class Ends>
  static cudaError_t SortPairsDescending(void *storage, std::size_t &bytes, const Key *keys_in,
                               Key *keys_out, const Value *values_in, Value *values_out, Size n, int segments, Begins begins, Ends ends,
                               int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                               cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    return run(keys_in, keys_out, values_in, values_out, n, segments, begins, ends, true, begin_bit, end_bit);
  }
  template <class Key, class Value, class Size, class Begins, class Ends>
  static cudaError_t SortPairsDescending(void *storage, std::size_t &bytes, DoubleBuffer<Key> &keys,
                               DoubleBuffer<Value> &values, Size n, int segments, Begins begins, Ends ends, int begin_bit = 0,
                               int end_bit = sizeof(Key) * 8, cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    run(keys.Current(), keys.Alternate(), values.Current(), values.Alternate(), n, segments, begins, ends, true,
        begin_bit, end_bit);
    keys.selector ^= 1;
    values.selector ^= 1;
    return cudaSuccess;
  }
  template <class Key, class Size, class Begins, class Ends>
  static cudaError_t SortKeysDescending(void *storage, std::size_t &bytes, const Key *keys_in, Key *keys_out,
                              Size n, int segments, Begins begins, Ends ends, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                              cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    NullType *none = nullptr;
    return run(keys_in, keys_out, none, none, n, segments, begins, ends, true, begin_bit, end_bit);
  }
  template <class Key, class Size, class Begins, class Ends>
  static cudaError_t SortKeysDescending(void *storage, std::size_t &bytes, DoubleBuffer<Key> &keys, Size n, int segments, Begins begins, Ends ends,
                              int begin_bit = 0, int end_bit = sizeof(Key) * 8, cudaStream_t = 0,
                              bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    NullType *none = nullptr;
    run(keys.Current(), keys.Alternate(), none, none, n, segments, begins, ends, true, begin_bit, end_bit);
    keys.selector ^= 1;
    return cudaSuccess;
  }

 private:
  template <class Key, class Value, class Size, class Begins, class Ends>
  static cudaError_t run(const Key *keys_in, Key *keys_out, const Value *values_in,
                         Value *values_out, Size, int segments, Begins begins, Ends ends,
                         bool descending, int begin_bit, int end_bit) {
    for (int s = 0; s < segments; ++s)
      if (begins[s] < ends[s])
        detail::sort_range(keys_in, keys_out, values_in, values_out,
                           static_cast<std::size_t>(begins[s]), static_cast<std::size_t>(ends[s]),
                           descending, begin_bit, end_bit);
    return cudaSuccess;
  }
};

}  // namespace cub
