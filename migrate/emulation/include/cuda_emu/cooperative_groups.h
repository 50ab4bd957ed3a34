// Cooperative groups: blocks, tiles of a warp, coalesced threads, and grids of cooperative launches.
#pragma once

#include "cuda_runtime.h"

namespace cooperative_groups {

namespace detail {
inline unsigned thread_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
inline unsigned lane() { return thread_rank() % 32; }
inline std::uint32_t tile_mask(unsigned size) {
  std::uint32_t ones = size == 32 ? 0xFFFFFFFFu : (1u << size) - 1u;
  std::uint32_t all = ones << (lane() & ~(size - 1));
  unsigned first = thread_rank() / 32 * 32, left = block_threads() - first;
  return left < 32 ? all & ((1u << left) - 1u) : all;  // the last warp of a block may be partial
}
}  // namespace detail

// What groups of lanes share: a mask, and ranks counted within it.
class lane_group {
 public:
  void sync() const { __syncwarp(mask_); }
  unsigned thread_rank() const {
    return static_cast<unsigned>(__builtin_popcount(mask_ & ((1u << detail::lane()) - 1u)));
  }
  unsigned size() const { return size_; }
  unsigned num_threads() const { return size_; }
  int any(int p) const { return __any_sync(mask_, p); }
  int all(int p) const { return __all_sync(mask_, p); }
  unsigned ballot(int p) const { return compact(__ballot_sync(mask_, p)); }
  template <class T> unsigned match_any(T v) const { return compact(__match_any_sync(mask_, v)); }
  template <class T> unsigned match_all(T v, int &p) const {
    return compact(__match_all_sync(mask_, v, &p));
  }
  template <class T> T shfl(T v, unsigned rank) const {
    return __shfl_sync(mask_, v, static_cast<int>(lane_of(rank % size_)));
  }
  template <class T> T shfl_up(T v, unsigned delta) const { return shifted(v, -static_cast<int>(delta)); }
  template <class T> T shfl_down(T v, unsigned delta) const { return shifted(v, static_cast<int>(delta)); }
  template <class T> T shfl_xor(T v, unsigned bits) const {
    unsigned rank = thread_rank() ^ bits;
    return __shfl_sync(mask_, v, static_cast<int>(rank < size_ ? lane_of(rank) : detail::lane()));
  }
  std::uint32_t mask() const { return mask_; }

 protected:
  lane_group(std::uint32_t mask, unsigned size) : mask_(mask), size_(size) {}

 private:
  template <class T> T shifted(T v, int delta) const {
    int rank = static_cast<int>(thread_rank()) + delta;
    bool inside = rank >= 0 && rank < __builtin_popcount(mask_);
    return __shfl_sync(mask_, v, static_cast<int>(inside ? lane_of(static_cast<unsigned>(rank)) : detail::lane()));
  }
  unsigned lane_of(unsigned rank) const {
    std::uint32_t left = mask_;
    while (rank-- && left) left &= left - 1;
    return left ? static_cast<unsigned>(__builtin_ctz(left)) : detail::lane();
  }
  // Bit i of a lane mask becomes bit rank(i).
  unsigned compact(unsigned bits) const {
    unsigned out = 0, at = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (mask_ >> lane & 1) out |= (bits >> lane & 1) << at++;
    return out;
  }
  std::uint32_t mask_;
  unsigned size_;
};

class thread_block {
 public:
  static void sync() { __syncthreads(); }
  void barrier_arrive() const {}
  static unsigned thread_rank() { return detail::thread_rank(); }
  static unsigned size() { return detail::block_threads(); }
  static unsigned num_threads() { return detail::block_threads(); }
  static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return thread_block(); }

class coalesced_group : public lane_group {
 public:
  explicit coalesced_group(std::uint32_t mask)
      : lane_group(mask, static_cast<unsigned>(__builtin_popcount(mask))) {}
  unsigned meta_group_rank() const { return 0; }
  unsigned meta_group_size() const { return 1; }
};
inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned Size, class Parent = void>
class thread_block_tile : public lane_group {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "tiles of more than one warp are not supported");

 public:
  thread_block_tile() : lane_group(detail::tile_mask(Size), Size) {}
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other> &) : thread_block_tile() {}
  static unsigned thread_rank() { return detail::thread_rank() % Size; }
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  static unsigned meta_group_rank() { return detail::thread_rank() / Size; }
  static unsigned meta_group_size() { return (detail::block_threads() + Size - 1) / Size; }
  template <class T> T shfl(T v, int rank) const {
    return __shfl_sync(mask(), v, rank, static_cast<int>(Size));
  }
  template <class T> T shfl_up(T v, unsigned delta) const {
    return __shfl_up_sync(mask(), v, delta, static_cast<int>(Size));
  }
  template <class T> T shfl_down(T v, unsigned delta) const {
    return __shfl_down_sync(mask(), v, delta, static_cast<int>(Size));
  }
  template <class T> T shfl_xor(T v, unsigned bits) const {
    return __shfl_xor_sync(mask(), v, static_cast<int>(bits), static_cast<int>(Size));
  }
};

// Any group behind one type: a block or some lanes of a warp.
class thread_group {
 public:
  thread_group(const thread_block &) : block_(true), mask_(0) {}
  thread_group(const lane_group &g) : block_(false), mask_(g.mask()), size_(g.size()) {}
  void sync() const { block_ ? __syncthreads() : __syncwarp(mask_); }
  unsigned size() const { return block_ ? detail::block_threads() : size_; }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const {
    return block_ ? detail::thread_rank() : lanes().thread_rank();
  }
  template <class T> T shfl(T v, unsigned rank) const { return lanes().shfl(v, rank); }
  template <class T> T shfl_down(T v, unsigned delta) const { return lanes().shfl_down(v, delta); }
  template <class T> T shfl_up(T v, unsigned delta) const { return lanes().shfl_up(v, delta); }
  template <class T> T shfl_xor(T v, unsigned bits) const { return lanes().shfl_xor(v, bits); }
  bool is_block() const { return block_; }

 private:
  coalesced_group lanes() const { return coalesced_group(mask_); }
  bool block_;
  std::uint32_t mask_;
  unsigned size_ = 0;
};

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
  return thread_block_tile<Size, Parent>();
}
inline thread_group tiled_partition(const thread_group &, unsigned size) {
  return thread_group(coalesced_group(detail::tile_mask(size)));
}
template <class Group>
coalesced_group binary_partition(const Group &g, bool predicate) {
  unsigned yes = __ballot_sync(g.mask(), predicate);
  return coalesced_group(predicate ? yes : g.mask() & ~yes);
}
template <class Group, class Label>
coalesced_group labeled_partition(const Group &g, Label label) {
  return coalesced_group(__match_any_sync(g.mask(), label));
}

class grid_group {
 public:
  bool is_valid() const { return true; }
  void sync() const {
    if (gridDim.x * gridDim.y * gridDim.z == 1) __syncthreads();
    else cuda_emu::grid_barrier();
  }
  unsigned long long size() const { return num_blocks() * detail::block_threads(); }
  unsigned long long num_threads() const { return size(); }
  unsigned long long num_blocks() const { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  unsigned long long block_rank() const {
    return blockIdx.x + 1ull * gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
  }
  unsigned long long thread_rank() const {
    return block_rank() * detail::block_threads() + detail::thread_rank();
  }
  static dim3 group_dim() { return gridDim; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
inline grid_group this_grid() { return grid_group(); }

template <class Group> void sync(const Group &g) { g.sync(); }
template <class Group> unsigned thread_rank(const Group &g) { return g.thread_rank(); }
template <class Group> unsigned group_size(const Group &g) { return g.size(); }

// Element-wise copies stand in for asynchronous ones: they are complete when wait() is reached.
template <class Group, class T, class Size>
void memcpy_async(const Group &g, T *to, const T *from, Size bytes) {
  auto *out = reinterpret_cast<unsigned char *>(to);
  auto *in = reinterpret_cast<const unsigned char *>(from);
  for (std::size_t i = g.thread_rank(); i < static_cast<std::size_t>(bytes); i += g.size())
    out[i] = in[i];
}
template <class Group> void wait(const Group &g) { g.sync(); }

}  // namespace cooperative_groups
