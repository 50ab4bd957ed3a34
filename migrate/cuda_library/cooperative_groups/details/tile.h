// Tiles: neighbours within a warp, their number known when the code is compiled.
#pragma once

#include "lane_group.h"

namespace cooperative_groups {

template <unsigned int Size, class Parent = void>
class thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "tiles of more than one warp are not supported");

 public:
  __device__ __forceinline__ thread_block_tile() {}
  template <class Other>
  __device__ __forceinline__ thread_block_tile(const thread_block_tile<Size, Other> &) {}

  __device__ __forceinline__ void sync() const { __syncwarp(mask()); }
  static __device__ __forceinline__ unsigned int thread_rank() {
    return details::block_rank_of_thread() % Size;
  }
  static __host__ __device__ constexpr unsigned int size() { return Size; }
  static __host__ __device__ constexpr unsigned int num_threads() { return Size; }
  static __device__ __forceinline__ unsigned int meta_group_rank() {
    return details::block_rank_of_thread() / Size;
  }
  static __device__ __forceinline__ unsigned int meta_group_size() {
    return (details::threads_of_block() + Size - 1) / Size;
  }
  static __device__ __forceinline__ unsigned int mask() { return details::tile_mask(Size); }

  __device__ __forceinline__ int any(int p) const { return __any_sync(mask(), p); }
  __device__ __forceinline__ int all(int p) const { return __all_sync(mask(), p); }
  __device__ __forceinline__ unsigned int ballot(int p) const {
    return own_bits(__ballot_sync(mask(), p));
  }
  template <class T>
  __device__ __forceinline__ unsigned int match_any(T value) const {
    return own_bits(__match_any_sync(mask(), value));
  }
  template <class T>
  __device__ __forceinline__ unsigned int match_all(T value, int &same) const {
    return own_bits(__match_all_sync(mask(), value, &same));
  }

  template <class T>
  __device__ __forceinline__ T shfl(T value, int rank) const {
    return details::Carrier<T>::from(mask(), value, lane_of(static_cast<unsigned int>(rank) % Size));
  }
  // One's own value where no thread is at the distance.
  template <class T>
  __device__ __forceinline__ T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return details::Carrier<T>::from(mask(), value, lane_of(rank >= delta ? rank - delta : rank));
  }
  template <class T>
  __device__ __forceinline__ T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return details::Carrier<T>::from(mask(), value, lane_of(rank + delta < Size ? rank + delta : rank));
  }
  template <class T>
  __device__ __forceinline__ T shfl_xor(T value, unsigned int bits) const {
    return details::Carrier<T>::from(mask(), value, lane_of((thread_rank() ^ bits) % Size));
  }
  __device__ __forceinline__ bool is_valid() const { return true; }

 private:
  static __device__ __forceinline__ unsigned int lane_of(unsigned int rank) {
    return details::lane() / Size * Size + rank;
  }
  static __device__ __forceinline__ unsigned int own_bits(unsigned int bits) {
    return (bits & mask()) >> (details::lane() / Size * Size);
  }
};

}  // namespace cooperative_groups
