// One value out of a whole block. The result is thread 0's; what other threads get is undefined.
//
// The order of operations is that of CUB's shuffle reduction: within a warp neighbours first, then
// the warps from the first to the last, so that sums of floating-point numbers agree.
#pragma once

#include "../detail/rank.cuh"
#include "../thread/thread_operators.cuh"
#include "../thread/thread_reduce.cuh"
#include "../util_type.cuh"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};

template <class T, int X, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1,
          int Z = 1, int LegacyArch = 0>
class BlockReduce {
 public:
  typedef T TempStorage[X * Y * Z];

  __device__ __forceinline__ BlockReduce(TempStorage &storage) : storage_(storage) {}

  template <class Op>
  __device__ __forceinline__ T Reduce(T input, Op op) {
    return Reduce(input, op, X * Y * Z);
  }

  // The first `valid` threads bring values.
  template <class Op>
  __device__ T Reduce(T input, Op op, int valid) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    storage_[rank] = input;
    __syncthreads();
    for (int step = 1; step < 32; step *= 2) {
      if (rank % (2 * step) == 0 && rank + step < valid)
        storage_[rank] = op(storage_[rank], storage_[rank + step]);
      __syncthreads();
    }
    T total = input;
    if (rank == 0) {
      total = storage_[0];
      for (int first = 32; first < valid; first += 32) total = op(total, storage_[first]);
    }
    return total;
  }

  template <int Items, class Op>
  __device__ __forceinline__ T Reduce(T (&inputs)[Items], Op op) {
    return Reduce(ThreadReduce(inputs, op), op, X * Y * Z);
  }

  __device__ __forceinline__ T Sum(T input) { return Reduce(input, cub::Sum(), X * Y * Z); }
  __device__ __forceinline__ T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
  template <int Items>
  __device__ __forceinline__ T Sum(T (&inputs)[Items]) {
    return Reduce(ThreadReduce(inputs, cub::Sum()), cub::Sum(), X * Y * Z);
  }

 private:
  T *storage_;
};

}  // namespace cub
