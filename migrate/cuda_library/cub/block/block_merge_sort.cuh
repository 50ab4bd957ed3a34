// A stable sort of a block's items, by any strict weak order.
#pragma once

#include "../detail/merge_sort.cuh"
#include "../util_type.cuh"

namespace cub {

template <class Key, int X, int Items, class Value = NullType, int Y = 1, int Z = 1>
class BlockMergeSort {
 public:
  struct TempStorage {
    Key keys[X * Y * Z * Items];
    Value values[X * Y * Z * Items];
  };
  __device__ __forceinline__ BlockMergeSort(TempStorage &storage) : storage_(storage) {}

  template <class Less>
  __device__ void Sort(Key (&keys)[Items], Less less) {
    Value none[Items];
    Sort(keys, none, less);
  }
  template <class Less>
  __device__ void Sort(Key (&keys)[Items], Value (&values)[Items], Less less) {
    detail::merge_sort<detail::BlockWait>(storage_.keys, storage_.values, detail::Thread<X, Y, Z>::rank(),
                       X * Y * Z, keys, values, less);
  }
  // Of the items in blocked order the first `valid` count; the others become `last`, which no key
  // comes behind.
  template <class Less>
  __device__ void Sort(Key (&keys)[Items], Less less, int valid, Key last) {
    Value none[Items];
    Sort(keys, none, less, valid, last);
  }
  template <class Less>
  __device__ void Sort(Key (&keys)[Items], Value (&values)[Items], Less less, int valid, Key last) {
    for (int i = 0; i < Items; ++i)
      if (detail::Thread<X, Y, Z>::rank() * Items + i >= valid) keys[i] = last;
    Sort(keys, values, less);
  }
  template <class Less>
  __device__ __forceinline__ void StableSort(Key (&keys)[Items], Less less) {
    Sort(keys, less);
  }
  template <class Less>
  __device__ __forceinline__ void StableSort(Key (&keys)[Items], Value (&values)[Items],
                                             Less less) {
    Sort(keys, values, less);
  }
  template <class Less>
  __device__ __forceinline__ void StableSort(Key (&keys)[Items], Less less, int valid, Key last) {
    Sort(keys, less, valid, last);
  }
  template <class Less>
  __device__ __forceinline__ void StableSort(Key (&keys)[Items], Value (&values)[Items], Less less,
                                             int valid, Key last) {
    Sort(keys, values, less, valid, last);
  }

 private:
  TempStorage &storage_;
};

}  // namespace cub
