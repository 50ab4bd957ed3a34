// Lanes of one warp that work together: a mask, and ranks counted within it.
#pragma once

#include <type_traits>

#include "cuda_runtime.h"

namespace cooperative_groups {

namespace details {

__device__ __forceinline__ unsigned int block_rank_of_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ __forceinline__ unsigned int threads_of_block() {
  return blockDim.x * blockDim.y * blockDim.z;
}
__device__ __forceinline__ unsigned int lane() { return block_rank_of_thread() % 32; }

// The lanes of this thread's tile of `size` neighbours; the last warp of a block may be partial.
__device__ __forceinline__ unsigned int tile_mask(unsigned int size) {
  const unsigned int ones = size == 32 ? 0xffffffffu : (1u << size) - 1u;
  const unsigned int all = ones << (lane() & ~(size - 1u));
  const unsigned int left = threads_of_block() - block_rank_of_thread() / 32 * 32;
  return left < 32 ? all & ((1u << left) - 1u) : all;
}

// The lane that has the given rank in a mask.
__device__ __forceinline__ unsigned int lane_of_rank(unsigned int mask, unsigned int rank) {
  unsigned int left = mask;
  for (unsigned int i = 0; i < rank && left; ++i) left &= left - 1;
  return left ? static_cast<unsigned int>(__ffs(static_cast<int>(left)) - 1) : lane();
}
__device__ __forceinline__ unsigned int rank_in_mask(unsigned int mask) {
  return static_cast<unsigned int>(__popc(mask & ((1u << lane()) - 1u)));
}
// Bit i of a lane mask becomes bit rank(i).
__device__ __forceinline__ unsigned int by_rank(unsigned int mask, unsigned int bits) {
  unsigned int out = 0, at = 0;
  for (unsigned int i = 0; i < 32; ++i) {
    if (mask >> i & 1) {
      out |= (bits >> i & 1) << at;
      ++at;
    }
  }
  return out;
}

// A value of another lane. Numbers travel as they are, anything else word by word.
template <class T, bool Number = std::is_arithmetic<T>::value>
struct Carrier {
  static_assert(sizeof(T) % 4 == 0, "only values of whole words travel between lanes");
  static __device__ T from(unsigned int mask, const T &value, unsigned int source) {
    T result = value;
    const unsigned int *words = reinterpret_cast<const unsigned int *>(&value);
    unsigned int *out = reinterpret_cast<unsigned int *>(&result);
    for (unsigned int i = 0; i < sizeof(T) / 4; ++i)
      out[i] = __shfl_sync(mask, words[i], static_cast<int>(source));
    return result;
  }
};
template <class T>
struct Carrier<T, true> {
  static __device__ __forceinline__ T from(unsigned int mask, const T &value,
                                           unsigned int source) {
    return __shfl_sync(mask, value, static_cast<int>(source));
  }
};

}  // namespace details

class coalesced_group {
 public:
  __device__ __forceinline__ coalesced_group(unsigned int mask)
      : mask_(mask), size_(static_cast<unsigned int>(__popc(mask))), meta_rank_(0), meta_size_(1) {}
  __device__ __forceinline__ coalesced_group(unsigned int mask, unsigned int size,
                                             unsigned int meta_rank, unsigned int meta_size)
      : mask_(mask), size_(size), meta_rank_(meta_rank), meta_size_(meta_size) {}

  __device__ __forceinline__ void sync() const { __syncwarp(mask_); }
  __device__ __forceinline__ unsigned int thread_rank() const {
    return details::rank_in_mask(mask_);
  }
  __device__ __forceinline__ unsigned int size() const { return size_; }
  __device__ __forceinline__ unsigned int num_threads() const { return size_; }
  __device__ __forceinline__ unsigned int meta_group_rank() const { return meta_rank_; }
  __device__ __forceinline__ unsigned int meta_group_size() const { return meta_size_; }
  __device__ __forceinline__ int any(int p) const { return __any_sync(mask_, p); }
  __device__ __forceinline__ int all(int p) const { return __all_sync(mask_, p); }
  __device__ __forceinline__ unsigned int ballot(int p) const {
    return details::by_rank(mask_, __ballot_sync(mask_, p));
  }
  template <class T>
  __device__ __forceinline__ unsigned int match_any(T value) const {
    return details::by_rank(mask_, __match_any_sync(mask_, value));
  }
  template <class T>
  __device__ __forceinline__ unsigned int match_all(T value, int &same) const {
    return details::by_rank(mask_, __match_all_sync(mask_, value, &same));
  }
  template <class T>
  __device__ __forceinline__ T shfl(T value, unsigned int rank) const {
    return details::Carrier<T>::from(mask_, value, details::lane_of_rank(mask_, rank % size_));
  }
  // One's own value where no thread is at the distance.
  template <class T>
  __device__ __forceinline__ T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    const unsigned int from =
        rank >= delta ? details::lane_of_rank(mask_, rank - delta) : details::lane();
    return details::Carrier<T>::from(mask_, value, from);
  }
  template <class T>
  __device__ __forceinline__ T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    const unsigned int from =
        rank + delta < size_ ? details::lane_of_rank(mask_, rank + delta) : details::lane();
    return details::Carrier<T>::from(mask_, value, from);
  }
  template <class T>
  __device__ __forceinline__ T shfl_xor(T value, unsigned int bits) const {
    const unsigned int rank = thread_rank() ^ bits;
    const unsigned int from = rank < size_ ? details::lane_of_rank(mask_, rank) : details::lane();
    return details::Carrier<T>::from(mask_, value, from);
  }
  __device__ __forceinline__ unsigned int mask() const { return mask_; }
  __device__ __forceinline__ bool is_valid() const { return true; }

 private:
  unsigned int mask_, size_, meta_rank_, meta_size_;
};

__device__ __forceinline__ coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

}  // namespace cooperative_groups
