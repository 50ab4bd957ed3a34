// Prefix sums over a warp or a part of it; operators need not commute.
#pragma once

#include "../detail/exchange.cuh"
#include "../thread/thread_operators.cuh"
#include "../util_type.cuh"

namespace cub {

template <class T, int Width = 32, int LegacyArch = 0>
class WarpScan {
 public:
  typedef typename detail::LaneExchange<T, Width>::Storage TempStorage;
  __device__ __forceinline__ WarpScan(TempStorage &storage) : lanes_(storage) {}

  template <class Op>
  __device__ void InclusiveScan(T input, T &output, Op op) {
    T sum = input;
    for (int step = 1; step < Width; step *= 2) {
      const T before = lanes_.up(sum, step);
      if (detail::Lanes<Width>::lane() >= step) sum = op(before, sum);
    }
    output = sum;
  }
  template <class Op>
  __device__ void InclusiveScan(T input, T &output, Op op, T &aggregate) {
    InclusiveScan(input, output, op);
    aggregate = lanes_.of(output, Width - 1);
  }

  // Lane 0's output is undefined without an initial value.
  template <class Op>
  __device__ void ExclusiveScan(T input, T &output, Op op) {
    T inclusive = input;
    InclusiveScan(input, inclusive, op);
    output = lanes_.up(inclusive, 1);
  }
  template <class Op>
  __device__ void ExclusiveScan(T input, T &output, Op op, T &aggregate) {
    T inclusive = input;
    InclusiveScan(input, inclusive, op, aggregate);
    output = lanes_.up(inclusive, 1);
  }
  template <class Op>
  __device__ void ExclusiveScan(T input, T &output, T initial, Op op) {
    T before = input;
    ExclusiveScan(input, before, op);
    output = detail::Lanes<Width>::lane() == 0 ? initial : op(initial, before);
  }
  // The aggregate leaves out the initial value.
  template <class Op>
  __device__ void ExclusiveScan(T input, T &output, T initial, Op op, T &aggregate) {
    T before = input;
    ExclusiveScan(input, before, op, aggregate);
    output = detail::Lanes<Width>::lane() == 0 ? initial : op(initial, before);
  }

  template <class Op>
  __device__ void Scan(T input, T &inclusive, T &exclusive, Op op) {
    T sum = input;
    InclusiveScan(input, sum, op);
    inclusive = sum;
    exclusive = lanes_.up(sum, 1);
  }
  template <class Op>
  __device__ void Scan(T input, T &inclusive, T &exclusive, T initial, Op op) {
    T sum = input, before = input;
    Scan(input, sum, before, op);
    inclusive = op(initial, sum);
    exclusive = detail::Lanes<Width>::lane() == 0 ? initial : op(initial, before);
  }

  __device__ __forceinline__ void InclusiveSum(T input, T &output) {
    InclusiveScan(input, output, cub::Sum());
  }
  __device__ __forceinline__ void InclusiveSum(T input, T &output, T &aggregate) {
    InclusiveScan(input, output, cub::Sum(), aggregate);
  }
  __device__ __forceinline__ void ExclusiveSum(T input, T &output) {
    ExclusiveScan(input, output, T(0), cub::Sum());
  }
  __device__ __forceinline__ void ExclusiveSum(T input, T &output, T &aggregate) {
    ExclusiveScan(input, output, T(0), cub::Sum(), aggregate);
  }
  __device__ __forceinline__ T Broadcast(T input, unsigned int lane) {
    return lanes_.of(input, static_cast<int>(lane));
  }

 private:
  detail::LaneExchange<T, Width> lanes_;
};

}  // namespace cub
