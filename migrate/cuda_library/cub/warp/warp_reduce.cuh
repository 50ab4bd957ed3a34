// One value out of a warp or a part of it. The result is lane 0's, or that of the first lane of each
// segment; what other lanes get is undefined.
#pragma once

#include "../detail/exchange.cuh"
#include "../thread/thread_operators.cuh"
#include "../util_type.cuh"

namespace cub {

template <class T, int Width = 32, int LegacyArch = 0>
class WarpReduce {
 public:
  typedef typename detail::LaneExchange<T, Width>::Storage TempStorage;
  __device__ __forceinline__ WarpReduce(TempStorage &storage) : lanes_(storage) {}

  template <class Op>
  __device__ __forceinline__ T Reduce(T input, Op op) {
    return within(input, op, Width - 1);
  }
  // The first `valid` lanes bring values.
  template <class Op>
  __device__ __forceinline__ T Reduce(T input, Op op, int valid) {
    return within(input, op, valid - 1);
  }
  __device__ __forceinline__ T Sum(T input) { return within(input, cub::Sum(), Width - 1); }
  __device__ __forceinline__ T Sum(T input, int valid) {
    return within(input, cub::Sum(), valid - 1);
  }

  // Segments that begin where the flag is set.
  template <class Flag, class Op>
  __device__ T HeadSegmentedReduce(T input, Flag head, Op op) {
    const unsigned int after = flags(head != 0) >> detail::Lanes<Width>::lane() >> 1;
    const int last = after ? detail::Lanes<Width>::lane() + __ffs(after) - 1 : Width - 1;
    return within(input, op, last);
  }
  // Segments that end where the flag is set.
  template <class Flag, class Op>
  __device__ T TailSegmentedReduce(T input, Flag tail, Op op) {
    const unsigned int after = flags(tail != 0) >> detail::Lanes<Width>::lane();
    const int last = after ? detail::Lanes<Width>::lane() + __ffs(after) - 1 : Width - 1;
    return within(input, op, last);
  }
  template <class Flag>
  __device__ __forceinline__ T HeadSegmentedSum(T input, Flag head) {
    return HeadSegmentedReduce(input, head, cub::Sum());
  }
  template <class Flag>
  __device__ __forceinline__ T TailSegmentedSum(T input, Flag tail) {
    return TailSegmentedReduce(input, tail, cub::Sum());
  }

 private:
  // Folds the lanes from this one to `last`: neighbours first.
  template <class Op>
  __device__ T within(T input, Op op, int last) {
    T total = input;
    for (int step = 1; step < Width; step *= 2) {
      const T other = lanes_.down(total, step);
      if (detail::Lanes<Width>::lane() + step <= last) total = op(total, other);
    }
    return total;
  }
  // The group's flags, its first lane at bit 0.
  __device__ __forceinline__ unsigned int flags(bool flag) {
    const int first = detail::linear_thread() % 32 - detail::Lanes<Width>::lane();
    const unsigned int mask = detail::Lanes<Width>::mask();
    return (__ballot_sync(mask, flag) & mask) >> first;
  }

  detail::LaneExchange<T, Width> lanes_;
};

}  // namespace cub
