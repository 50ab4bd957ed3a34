// Tiles of several warps. They talk through shared memory, which programs provide as block_tile_memory; only
// the CPU runtime has them, and it takes memory of its own.
#pragma once

#include "tile.h"
#include "whole_groups.h"

namespace cooperative_groups {

template <unsigned int MaxBlockSize = 1024>
struct block_tile_memory {
  unsigned long long reserved[MaxBlockSize / 32 + 1];
};
template <unsigned int MaxBlockSize>
__device__ __forceinline__ thread_block this_thread_block(block_tile_memory<MaxBlockSize> &) {
  return thread_block();
}

#ifdef CUDA_EMU
namespace details {

// One value of each thread of a block.
struct TileExchange {
  struct alignas(16) Slot { unsigned char bytes[16]; } slots[1024];
};

template <unsigned int Size>
class WideTile {
 public:
  static unsigned int thread_rank() { return block_rank_of_thread() % Size; }
  static constexpr unsigned int size() { return Size; }
  static constexpr unsigned int num_threads() { return Size; }
  static unsigned int meta_group_rank() { return block_rank_of_thread() / Size; }
  static unsigned int meta_group_size() { return (threads_of_block() + Size - 1) / Size; }
  bool is_valid() const { return true; }

  void sync() const {
    const unsigned int first = meta_group_rank() * Size, left = threads_of_block() - first;
    // Numbers above PTX's sixteen barriers; no two sizes share one.
    cuda_emu::part_barrier(16 + Size / 64 * 16 + meta_group_rank(), left < Size ? left : Size, true);
  }
  template <class T>
  T shfl(T value, unsigned int rank) const {
    static_assert(sizeof(T) <= sizeof(TileExchange::Slot), "values of up to 16 bytes");
    TileExchange &memory = cuda_emu::static_shared<TileExchange>();
    const unsigned int first = meta_group_rank() * Size;
    __builtin_memcpy(memory.slots[block_rank_of_thread()].bytes, &value, sizeof(T));
    sync();
    __builtin_memcpy(&value, memory.slots[first + rank % Size].bytes, sizeof(T));
    sync();
    return value;
  }
  template <class T>
  T shfl_xor(T value, unsigned int bits) const { return shfl(value, thread_rank() ^ bits); }
  // One's own value where no thread is at the distance.
  template <class T>
  T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return shfl(value, rank >= delta ? rank - delta : rank);
  }
  template <class T>
  T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return shfl(value, rank + delta < Size ? rank + delta : rank);
  }
  int any(int p) const { return votes(p) > 0; }
  int all(int p) const { return votes(!p) == 0; }

 private:
  unsigned int votes(int p) const {
    unsigned int sum = 0;
    for (unsigned int rank = 0; rank < Size; ++rank) sum += shfl(p ? 1u : 0u, rank);
    return sum;
  }
};

}  // namespace details

template <class Parent>
class thread_block_tile<64, Parent> : public details::WideTile<64> {};
template <class Parent>
class thread_block_tile<128, Parent> : public details::WideTile<128> {};
template <class Parent>
class thread_block_tile<256, Parent> : public details::WideTile<256> {};
template <class Parent>
class thread_block_tile<512, Parent> : public details::WideTile<512> {};
template <class Parent>
class thread_block_tile<1024, Parent> : public details::WideTile<1024> {};
#endif

}  // namespace cooperative_groups
