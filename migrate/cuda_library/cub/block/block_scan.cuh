// Prefix sums over a block.
//
// Warps are scanned first, then each thread folds the totals of the warps before its own, as CUB's
// warp scans do; operators need not commute.
#pragma once

#include "../detail/rank.cuh"
#include "../thread/thread_operators.cuh"
#include "../thread/thread_reduce.cuh"
#include "../util_type.cuh"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int X, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1,
          int LegacyArch = 0>
class BlockScan {
 public:
  typedef T TempStorage[X * Y * Z];

  __device__ __forceinline__ BlockScan(TempStorage &storage) : storage_(storage) {}

  // --- one item a thread

  template <class Op>
  __device__ void InclusiveScan(T input, T &output, Op op, T &aggregate) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    T mine = input;
    storage_[rank] = mine;
    __syncthreads();
    for (int step = 1; step < 32; step *= 2) {
      T before = mine;
      if (rank % 32 >= step) before = storage_[rank - step];
      __syncthreads();
      if (rank % 32 >= step) {
        mine = op(before, mine);
        storage_[rank] = mine;
      }
      __syncthreads();
    }
    // The last lane of each warp holds the warp's total.
    T total = storage_[X * Y * Z > 32 ? 31 : X * Y * Z - 1];
    for (int first = 32; first < X * Y * Z; first += 32) {
      if (first == rank / 32 * 32) mine = op(total, mine);
      const int last = first + 31;
      total = op(total, storage_[last < X * Y * Z ? last : X * Y * Z - 1]);
    }
    output = mine;
    aggregate = total;
  }
  template <class Op>
  __device__ __forceinline__ void InclusiveScan(T input, T &output, Op op) {
    T aggregate = input;
    InclusiveScan(input, output, op, aggregate);
  }

  // Thread 0's output is undefined without an initial value.
  template <class Op>
  __device__ void ExclusiveScan(T input, T &output, Op op, T &aggregate) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    T inclusive = input;
    InclusiveScan(input, inclusive, op, aggregate);
    __syncthreads();
    storage_[rank] = inclusive;
    __syncthreads();
    output = rank == 0 ? input : storage_[rank - 1];
  }
  template <class Op>
  __device__ __forceinline__ void ExclusiveScan(T input, T &output, Op op) {
    T aggregate = input;
    ExclusiveScan(input, output, op, aggregate);
  }
  // The aggregate leaves out the initial value.
  template <class Op>
  __device__ void ExclusiveScan(T input, T &output, T initial, Op op, T &aggregate) {
    T before = input;
    ExclusiveScan(input, before, op, aggregate);
    output = detail::Thread<X, Y, Z>::rank() == 0 ? initial : op(initial, before);
  }
  template <class Op>
  __device__ __forceinline__ void ExclusiveScan(T input, T &output, T initial, Op op) {
    T aggregate = input;
    ExclusiveScan(input, output, initial, op, aggregate);
  }

  __device__ __forceinline__ void InclusiveSum(T input, T &output) {
    T aggregate = input;
    InclusiveScan(input, output, cub::Sum(), aggregate);
  }
  __device__ __forceinline__ void InclusiveSum(T input, T &output, T &aggregate) {
    InclusiveScan(input, output, cub::Sum(), aggregate);
  }
  __device__ __forceinline__ void ExclusiveSum(T input, T &output) {
    T aggregate = input;
    ExclusiveScan(input, output, T(0), cub::Sum(), aggregate);
  }
  __device__ __forceinline__ void ExclusiveSum(T input, T &output, T &aggregate) {
    ExclusiveScan(input, output, T(0), cub::Sum(), aggregate);
  }

  // --- a prefix by callback: the first warp calls it with the block's total, thread 0's result
  // comes before the first item

  template <class Op, class Callback>
  __device__ void InclusiveScan(T input, T &output, Op op, Callback &callback) {
    T aggregate = input, mine = input;
    InclusiveScan(input, mine, op, aggregate);
    output = op(prefix_of(aggregate, callback), mine);
  }
  template <class Op, class Callback>
  __device__ void ExclusiveScan(T input, T &output, Op op, Callback &callback) {
    T aggregate = input, before = input;
    ExclusiveScan(input, before, op, aggregate);
    const T prefix = prefix_of(aggregate, callback);
    output = detail::Thread<X, Y, Z>::rank() == 0 ? prefix : op(prefix, before);
  }
  template <class Callback>
  __device__ __forceinline__ void InclusiveSum(T input, T &output, Callback &callback) {
    InclusiveScan(input, output, cub::Sum(), callback);
  }
  template <class Callback>
  __device__ __forceinline__ void ExclusiveSum(T input, T &output, Callback &callback) {
    ExclusiveScan(input, output, cub::Sum(), callback);
  }

  // --- several items a thread, in blocked order

  template <int Items, class Op>
  __device__ void InclusiveScan(T (&input)[Items], T (&output)[Items], Op op, T &aggregate) {
    T before = input[0];
    ExclusiveScan(ThreadReduce(input, op), before, op, aggregate);
    T sum = detail::Thread<X, Y, Z>::rank() == 0 ? input[0] : op(before, input[0]);
    output[0] = sum;
    for (int i = 1; i < Items; ++i) {
      sum = op(sum, input[i]);
      output[i] = sum;
    }
  }
  template <int Items, class Op>
  __device__ __forceinline__ void InclusiveScan(T (&input)[Items], T (&output)[Items], Op op) {
    T aggregate = input[0];
    InclusiveScan(input, output, op, aggregate);
  }
  template <int Items, class Op>
  __device__ void ExclusiveScan(T (&input)[Items], T (&output)[Items], T initial, Op op,
                                T &aggregate) {
    T sum = initial;
    ExclusiveScan(ThreadReduce(input, op), sum, initial, op, aggregate);
    for (int i = 0; i < Items; ++i) {
      const T item = input[i];
      output[i] = sum;
      sum = op(sum, item);
    }
  }
  template <int Items, class Op>
  __device__ __forceinline__ void ExclusiveScan(T (&input)[Items], T (&output)[Items], T initial,
                                                Op op) {
    T aggregate = input[0];
    ExclusiveScan(input, output, initial, op, aggregate);
  }
  template <int Items>
  __device__ __forceinline__ void InclusiveSum(T (&input)[Items], T (&output)[Items]) {
    T aggregate = input[0];
    InclusiveScan(input, output, cub::Sum(), aggregate);
  }
  template <int Items>
  __device__ __forceinline__ void InclusiveSum(T (&input)[Items], T (&output)[Items],
                                               T &aggregate) {
    InclusiveScan(input, output, cub::Sum(), aggregate);
  }
  template <int Items>
  __device__ __forceinline__ void ExclusiveSum(T (&input)[Items], T (&output)[Items]) {
    T aggregate = input[0];
    ExclusiveScan(input, output, T(0), cub::Sum(), aggregate);
  }
  template <int Items>
  __device__ __forceinline__ void ExclusiveSum(T (&input)[Items], T (&output)[Items],
                                               T &aggregate) {
    ExclusiveScan(input, output, T(0), cub::Sum(), aggregate);
  }

  template <int Items, class Op, class Callback>
  __device__ void InclusiveScan(T (&input)[Items], T (&output)[Items], Op op, Callback &callback) {
    T sum = input[0];
    ExclusiveScan(ThreadReduce(input, op), sum, op, callback);
    for (int i = 0; i < Items; ++i) {
      sum = op(sum, input[i]);
      output[i] = sum;
    }
  }
  template <int Items, class Op, class Callback>
  __device__ void ExclusiveScan(T (&input)[Items], T (&output)[Items], Op op, Callback &callback) {
    T sum = input[0];
    ExclusiveScan(ThreadReduce(input, op), sum, op, callback);
    for (int i = 0; i < Items; ++i) {
      const T item = input[i];
      output[i] = sum;
      sum = op(sum, item);
    }
  }
  template <int Items, class Callback>
  __device__ __forceinline__ void InclusiveSum(T (&input)[Items], T (&output)[Items],
                                               Callback &callback) {
    InclusiveScan(input, output, cub::Sum(), callback);
  }
  template <int Items, class Callback>
  __device__ __forceinline__ void ExclusiveSum(T (&input)[Items], T (&output)[Items],
                                               Callback &callback) {
    ExclusiveScan(input, output, cub::Sum(), callback);
  }

 private:
  template <class Callback>
  __device__ T prefix_of(T aggregate, Callback &callback) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    T prefix = aggregate;
    if (rank < 32) prefix = callback(aggregate);
    __syncthreads();
    if (rank == 0) storage_[0] = prefix;
    __syncthreads();
    return storage_[0];
  }

  T *storage_;
};

}  // namespace cub
