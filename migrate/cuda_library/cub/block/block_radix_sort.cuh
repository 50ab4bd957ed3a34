// A stable sort of a block's items by the bits of their keys: digits of four bits, lowest first.
#pragma once

#include "../detail/radix_key.cuh"
#include "../detail/rank.cuh"
#include "../util_type.cuh"
#include "block_scan.cuh"

namespace cub {

template <class Key, int X, int Items, class Value = NullType, int RadixBits = 4,
          bool MemoizeOuterScan = true,
          BlockScanAlgorithm InnerScan = BLOCK_SCAN_WARP_SCANS, int SharedMemoryConfig = 0,
          int Y = 1, int Z = 1, int LegacyArch = 0>
class BlockRadixSort {
 public:
  struct TempStorage {
    unsigned int counters[16 * X * Y * Z];
    typename BlockScan<unsigned int, X, InnerScan, Y, Z>::TempStorage scan;
    Key keys[X * Y * Z * Items];
    Value values[X * Y * Z * Items];
  };
  __device__ __forceinline__ BlockRadixSort(TempStorage &storage) : storage_(storage) {}

  __device__ __forceinline__ void Sort(Key (&keys)[Items], int begin_bit = 0,
                                       int end_bit = sizeof(Key) * 8) {
    Value none[Items];
    passes(keys, none, begin_bit, end_bit, false, false);
  }
  __device__ __forceinline__ void Sort(Key (&keys)[Items], Value (&values)[Items],
                                       int begin_bit = 0, int end_bit = sizeof(Key) * 8) {
    passes(keys, values, begin_bit, end_bit, false, false);
  }
  __device__ __forceinline__ void SortDescending(Key (&keys)[Items], int begin_bit = 0,
                                                 int end_bit = sizeof(Key) * 8) {
    Value none[Items];
    passes(keys, none, begin_bit, end_bit, true, false);
  }
  __device__ __forceinline__ void SortDescending(Key (&keys)[Items], Value (&values)[Items],
                                                 int begin_bit = 0,
                                                 int end_bit = sizeof(Key) * 8) {
    passes(keys, values, begin_bit, end_bit, true, false);
  }
  __device__ __forceinline__ void SortBlockedToStriped(Key (&keys)[Items], int begin_bit = 0,
                                                       int end_bit = sizeof(Key) * 8) {
    Value none[Items];
    passes(keys, none, begin_bit, end_bit, false, true);
  }
  __device__ __forceinline__ void SortBlockedToStriped(Key (&keys)[Items], Value (&values)[Items],
                                                       int begin_bit = 0,
                                                       int end_bit = sizeof(Key) * 8) {
    passes(keys, values, begin_bit, end_bit, false, true);
  }
  __device__ __forceinline__ void SortDescendingBlockedToStriped(
      Key (&keys)[Items], int begin_bit = 0, int end_bit = sizeof(Key) * 8) {
    Value none[Items];
    passes(keys, none, begin_bit, end_bit, true, true);
  }
  __device__ __forceinline__ void SortDescendingBlockedToStriped(
      Key (&keys)[Items], Value (&values)[Items], int begin_bit = 0,
      int end_bit = sizeof(Key) * 8) {
    passes(keys, values, begin_bit, end_bit, true, true);
  }

 private:
  __device__ void passes(Key (&keys)[Items], Value (&values)[Items], int begin_bit, int end_bit,
                         bool descending, bool striped) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int bit = begin_bit; bit < end_bit; bit += 4) {
      const unsigned int mask = (1u << (end_bit - bit < 4 ? end_bit - bit : 4)) - 1u;
      int place[Items];
      ranks(keys, place, bit, mask, descending);
      for (int i = 0; i < Items; ++i) {
        storage_.keys[place[i]] = keys[i];
        storage_.values[place[i]] = values[i];
      }
      __syncthreads();
      const bool spread = striped && bit + 4 >= end_bit;
      for (int i = 0; i < Items; ++i) {
        const int from = spread ? rank + i * X * Y * Z : rank * Items + i;
        keys[i] = storage_.keys[from];
        values[i] = storage_.values[from];
      }
      __syncthreads();
    }
  }

  // Where each item goes: counters are kept digit by digit, and within a digit thread by thread.
  __device__ void ranks(Key (&keys)[Items], int (&place)[Items], int bit, unsigned int mask,
                        bool descending) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int digit = 0; digit < 16; ++digit) storage_.counters[digit * X * Y * Z + rank] = 0;
    int cell[Items];
    for (int i = 0; i < Items; ++i) {
      unsigned int digit = static_cast<unsigned int>(detail::radix_key(keys[i]) >> bit) & mask;
      if (descending) digit ^= mask;
      cell[i] = static_cast<int>(digit) * X * Y * Z + rank;
      place[i] = static_cast<int>(storage_.counters[cell[i]]);
      storage_.counters[cell[i]] += 1;
    }
    __syncthreads();
    unsigned int sum = 0, before = 0;
    for (int i = 0; i < 16; ++i) sum += storage_.counters[rank * 16 + i];
    BlockScan<unsigned int, X, InnerScan, Y, Z>(storage_.scan).ExclusiveSum(sum, before);
    for (int i = 0; i < 16; ++i) {
      const unsigned int count = storage_.counters[rank * 16 + i];
      storage_.counters[rank * 16 + i] = before;
      before += count;
    }
    __syncthreads();
    for (int i = 0; i < Items; ++i) place[i] += static_cast<int>(storage_.counters[cell[i]]);
  }

  TempStorage &storage_;
};

}  // namespace cub
