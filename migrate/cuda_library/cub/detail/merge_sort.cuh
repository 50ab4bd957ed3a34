// A stable merge sort of the items of cooperating threads, by any strict weak order.
#pragma once

#include "rank.cuh"

namespace cub {
namespace detail {

// How the threads of a block wait for each other, and those of a part of a warp.
struct BlockWait {
  static __device__ __forceinline__ void wait() { __syncthreads(); }
};
template <int Width>
struct LanesWait {
  static __device__ __forceinline__ void wait() { __syncwarp(Lanes<Width>::mask()); }
};

template <class Key, class Value, int Items, class Less>
__device__ void sort_own_items(Key (&keys)[Items], Value (&values)[Items], Less less) {
  for (int i = 1; i < Items; ++i) {
    const Key key = keys[i];
    const Value value = values[i];
    int at = i;
    while (at > 0 && less(key, keys[at - 1])) {
      keys[at] = keys[at - 1];
      values[at] = values[at - 1];
      --at;
    }
    keys[at] = key;
    values[at] = value;
  }
}

// How many of the sorted keys [first, last) come before `key`; equal ones too when `equal_counts`.
template <class Key, class Less>
__device__ int keys_before(const Key *keys, int first, int last, Key key, Less less,
                           bool equal_counts) {
  int low = first, high = last;
  while (low < high) {
    const int middle = (low + high) / 2;
    const bool before = equal_counts ? !less(key, keys[middle]) : less(keys[middle], key);
    if (before) low = middle + 1;
    else high = middle;
  }
  return low - first;
}

template <class Wait, class Key, class Value, int Items, class Less>
__device__ void merge_sort(Key *shared_keys, Value *shared_values, int rank, int threads,
                           Key (&keys)[Items], Value (&values)[Items], Less less) {
  sort_own_items(keys, values, less);
  const int total = threads * Items;
  for (int width = Items; width < total; width *= 2) {
    Wait::wait();
    for (int i = 0; i < Items; ++i) shared_keys[rank * Items + i] = keys[i];
    Wait::wait();
    int place[Items];
    for (int i = 0; i < Items; ++i) {
      const int at = rank * Items + i;
      const int start = at / (2 * width) * (2 * width);
      const int middle = start + width < total ? start + width : total;
      const int end = middle + width < total ? middle + width : total;
      if (at < middle) place[i] = at + keys_before(shared_keys, middle, end, keys[i], less, false);
      else place[i] = at - width + keys_before(shared_keys, start, middle, keys[i], less, true);
    }
    Wait::wait();
    for (int i = 0; i < Items; ++i) {
      shared_keys[place[i]] = keys[i];
      shared_values[place[i]] = values[i];
    }
    Wait::wait();
    for (int i = 0; i < Items; ++i) {
      keys[i] = shared_keys[rank * Items + i];
      values[i] = shared_values[rank * Items + i];
    }
  }
}

}  // namespace detail
}  // namespace cub
