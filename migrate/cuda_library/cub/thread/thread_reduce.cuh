// The items of one thread, folded from the first to the last.
#pragma once

#include "cuda_runtime.h"

namespace cub {

template <class T, int Items, class Op>
__device__ __forceinline__ T ThreadReduce(T (&inputs)[Items], Op op) {
  T total = inputs[0];
  for (int i = 1; i < Items; ++i) total = op(total, inputs[i]);
  return total;
}
template <class T, int Items, class Op, class Prefix>
__device__ __forceinline__ Prefix ThreadReduce(T (&inputs)[Items], Op op, Prefix prefix) {
  Prefix total = prefix;
  for (int i = 0; i < Items; ++i) total = op(total, inputs[i]);
  return total;
}

}  // namespace cub
