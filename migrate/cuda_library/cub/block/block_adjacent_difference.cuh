// Differences between neighbours of a block's items, in blocked order.
#pragma once

#include "../detail/rank.cuh"
#include "../util_type.cuh"

namespace cub {

template <class T, int X, int Y = 1, int Z = 1, int LegacyArch = 0>
class BlockAdjacentDifference {
 public:
  struct TempStorage {
    T first[X * Y * Z];
    T last[X * Y * Z];
  };
  __device__ __forceinline__ BlockAdjacentDifference(TempStorage &storage) : storage_(storage) {}

  // The block's first item is passed on as it is.
  template <int Items, class Out, class Op>
  __device__ void SubtractLeft(T (&input)[Items], Out (&output)[Items], Op op) {
    publish(input);
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = Items - 1; i > 0; --i) output[i] = op(input[i], input[i - 1]);
    if (rank == 0) output[0] = input[0];
    else output[0] = op(input[0], storage_.last[rank - 1]);
  }
  template <int Items, class Out, class Op>
  __device__ void SubtractLeft(T (&input)[Items], Out (&output)[Items], Op op,
                               T tile_predecessor_item) {
    publish(input);
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = Items - 1; i > 0; --i) output[i] = op(input[i], input[i - 1]);
    if (rank == 0) output[0] = op(input[0], tile_predecessor_item);
    else output[0] = op(input[0], storage_.last[rank - 1]);
  }
  template <int Items, class Out, class Op>
  __device__ void SubtractLeftPartialTile(T (&input)[Items], Out (&output)[Items], Op op,
                                          int valid) {
    publish(input);
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = Items - 1; i > 0; --i) {
      output[i] = input[i];
      if (rank * Items + i < valid) output[i] = op(input[i], input[i - 1]);
    }
    if (rank == 0 || rank * Items >= valid) output[0] = input[0];
    else output[0] = op(input[0], storage_.last[rank - 1]);
  }

  // The block's last item is passed on as it is.
  template <int Items, class Out, class Op>
  __device__ void SubtractRight(T (&input)[Items], Out (&output)[Items], Op op) {
    publish(input);
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = 0; i < Items - 1; ++i) output[i] = op(input[i], input[i + 1]);
    if (rank == X * Y * Z - 1) output[Items - 1] = input[Items - 1];
    else output[Items - 1] = op(input[Items - 1], storage_.first[rank + 1]);
  }
  template <int Items, class Out, class Op>
  __device__ void SubtractRight(T (&input)[Items], Out (&output)[Items], Op op,
                                T tile_successor_item) {
    publish(input);
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = 0; i < Items - 1; ++i) output[i] = op(input[i], input[i + 1]);
    if (rank == X * Y * Z - 1) output[Items - 1] = op(input[Items - 1], tile_successor_item);
    else output[Items - 1] = op(input[Items - 1], storage_.first[rank + 1]);
  }
  template <int Items, class Out, class Op>
  __device__ void SubtractRightPartialTile(T (&input)[Items], Out (&output)[Items], Op op,
                                           int valid) {
    publish(input);
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = 0; i < Items - 1; ++i) {
      output[i] = input[i];
      if (rank * Items + i + 1 < valid) output[i] = op(input[i], input[i + 1]);
    }
    output[Items - 1] = input[Items - 1];
    if (rank * Items + Items < valid)
      output[Items - 1] = op(input[Items - 1], storage_.first[rank + 1]);
  }

 private:
  template <int Items>
  __device__ __forceinline__ void publish(T (&input)[Items]) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    storage_.first[rank] = input[0];
    storage_.last[rank] = input[Items - 1];
    __syncthreads();
  }

  TempStorage &storage_;
};

}  // namespace cub
