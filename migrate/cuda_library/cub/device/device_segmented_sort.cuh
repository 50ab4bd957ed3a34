// Sorts of segments.
#pragma once

#include "device_segmented_radix_sort.cuh"

namespace cub {

struct DeviceSegmentedSort {
  template <class Key, class Begins, class Ends>
  static cudaError_t SortKeys(void *storage, std::size_t &bytes, const Key *keys_in, Key *keys_out,
                              int n, int segments, Begins begins, Ends ends, cudaStream_t = 0) {
    return DeviceSegmentedRadixSort::SortKeys(storage, bytes, keys_in, keys_out, n, segments, begins, ends);
  }
  template <class Key, class Value, class Begins, class Ends>
  static cudaError_t SortPairs(void *storage, std::size_t &bytes, const Key *keys_in, Key *keys_out,
                               const Value *values_in, Value *values_out, int n, int segments,
                               Begins begins, Ends ends, cudaStream_t = 0) {
    return DeviceSegmentedRadixSort::SortPairs(storage, bytes, keys_in, keys_out, values_in, values_out, n,
                                               segments, begins, ends);
  }
  template <class Key, class Begins, class Ends>
  static cudaError_t SortKeysDescending(void *storage, std::size_t &bytes, const Key *keys_in, Key *keys_out,
                              int n, int segments, Begins begins, Ends ends, cudaStream_t = 0) {
    return DeviceSegmentedRadixSort::SortKeysDescending(storage, bytes, keys_in, keys_out, n, segments, begins, ends);
  }
  template <class Key, class Value, class Begins, class Ends>
  static cudaError_t SortPairsDescending(void *storage, std::size_t &bytes, const Key *keys_in, Key *keys_out,
                               const Value *values_in, Value *values_out, int n, int segments,
                               Begins begins, Ends ends, cudaStream_t = 0) {
    return DeviceSegmentedRadixSort::SortPairsDescending(storage, bytes, keys_in, keys_out, values_in, values_out, n,
                                               segments, begins, ends);
  }
  template <class Key, class Begins, class Ends>
  static cudaError_t StableSortKeys(void *storage, std::size_t &bytes, const Key *keys_in, Key *keys_out,
                              int n, int segments, Begins begins, Ends ends, cudaStream_t = 0) {
    return DeviceSegmentedRadixSort::SortKeys(storage, bytes, keys_in, keys_out, n, segments, begins, ends);
  }
  template <class Key, class Value, class Begins, class Ends>
  static cudaError_t StableSortPairs(void *storage, std::size_t &bytes, const Key *keys_in, Key *keys_out,
                               const Value *values_in, Value *values_out, int n, int segments,
                               Begins begins, Ends ends, cudaStream_t = 0) {
    return DeviceSegmentedRadixSort::SortPairs(storage, bytes, keys_in, keys_out, values_in, values_out, n,
                                               segments, begins, ends);
  }
  template <class Key, class Begins, class Ends>
  static cudaError_t StableSortKeysDescending(void *storage, std::size_t &bytes, const Key *keys_in, Key *keys_out,
                              int n, int segments, Begins begins, Ends ends, cudaStream_t = 0) {
    return DeviceSegmentedRadixSort::SortKeysDescending(storage, bytes, keys_in, keys_out, n, segments, begins, ends);
  }
  template <class Key, class Value, class Begins, class Ends>
  static cudaError_t StableSortPairsDescending(void *storage, std::size_t &bytes, const Key *keys_in, Key *keys_out,
                               const Value *values_in, Value *values_out, int n, int segments,
                               Begins begins, Ends ends, cudaStream_t = 0) {
    return DeviceSegmentedRadixSort::SortPairsDescending(storage, bytes, keys_in, keys_out, values_in, values_out, n,
                                               segments, begins, ends);
  }
};

}  // namespace cub
