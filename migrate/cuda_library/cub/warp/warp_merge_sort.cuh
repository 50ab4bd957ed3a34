// A stable sort of the items of a warp or a part of it, by any strict weak order.
#pragma once

#include "../detail/merge_sort.cuh"
#include "../util_type.cuh"

namespace cub {

template <class Key, int Items, int Width = 32, class Value = NullType, int LegacyArch = 0>
class WarpMergeSort {
 public:
  struct TempStorage {
    Key keys[Width * Items];
    Value values[Width * Items];
  };
  __device__ __forceinline__ WarpMergeSort(TempStorage &storage) : storage_(storage) {}

  template <class Less>
  __device__ void Sort(Key (&keys)[Items], Less less) {
    Value none[Items];
    Sort(keys, none, less);
  }
  template <class Less>
  __device__ void Sort(Key (&keys)[Items], Value (&values)[Items], Less less) {
    detail::merge_sort<detail::LanesWait<Width>>(storage_.keys, storage_.values, detail::Lanes<Width>::lane(),
                       Width, keys, values, less);
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
      if (detail::Lanes<Width>::lane() * Items + i >= valid) keys[i] = last;
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
