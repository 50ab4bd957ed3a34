// Flags where neighbouring items of a block differ, in blocked order.
#pragma once

#include "../detail/rank.cuh"
#include "../util_type.cuh"

namespace cub {

template <class T, int X, int Y = 1, int Z = 1, int LegacyArch = 0>
class BlockDiscontinuity {
 public:
  struct TempStorage {
    T first[X * Y * Z];
    T last[X * Y * Z];
  };
  __device__ __forceinline__ BlockDiscontinuity(TempStorage &storage) : storage_(storage) {}

  // A head differs from the item before it; the block's first item is one.
  template <int Items, class Flag, class Op>
  __device__ void FlagHeads(Flag (&flags)[Items], T (&input)[Items], Op differs) {
    publish(input);
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = Items - 1; i > 0; --i) flags[i] = differs(input[i - 1], input[i]);
    if (rank == 0) flags[0] = 1;
    else flags[0] = differs(storage_.last[rank - 1], input[0]);
  }
  template <int Items, class Flag, class Op>
  __device__ void FlagHeads(Flag (&flags)[Items], T (&input)[Items], Op differs,
                            T tile_predecessor_item) {
    publish(input);
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = Items - 1; i > 0; --i) flags[i] = differs(input[i - 1], input[i]);
    if (rank == 0) flags[0] = differs(tile_predecessor_item, input[0]);
    else flags[0] = differs(storage_.last[rank - 1], input[0]);
  }

  // A tail differs from the item behind it; the block's last item is one.
  template <int Items, class Flag, class Op>
  __device__ void FlagTails(Flag (&flags)[Items], T (&input)[Items], Op differs) {
    publish(input);
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = 0; i < Items - 1; ++i) flags[i] = differs(input[i], input[i + 1]);
    if (rank == X * Y * Z - 1) flags[Items - 1] = 1;
    else flags[Items - 1] = differs(input[Items - 1], storage_.first[rank + 1]);
  }
  template <int Items, class Flag, class Op>
  __device__ void FlagTails(Flag (&flags)[Items], T (&input)[Items], Op differs,
                            T tile_successor_item) {
    publish(input);
    const int rank = detail::Thread<X, Y, Z>::rank();
    for (int i = 0; i < Items - 1; ++i) flags[i] = differs(input[i], input[i + 1]);
    if (rank == X * Y * Z - 1) flags[Items - 1] = differs(input[Items - 1], tile_successor_item);
    else flags[Items - 1] = differs(input[Items - 1], storage_.first[rank + 1]);
  }
  template <int Items, class Flag, class Op>
  __device__ void FlagHeadsAndTails(Flag (&heads)[Items], Flag (&tails)[Items], T (&input)[Items],
                                    Op differs) {
    FlagHeads(heads, input, differs);
    FlagTails(tails, input, differs);
  }

 private:
  template <int Items>
  __device__ __forceinline__ void publish(T (&input)[Items]) {
    const int rank = detail::Thread<X, Y, Z>::rank();
    __syncthreads();
    storage_.first[rank] = input[0];
    storage_.last[rank] = input[Items - 1];
    __syncthreads();
  }

  TempStorage &storage_;
};

}  // namespace cub
