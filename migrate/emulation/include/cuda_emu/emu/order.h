// The order in which a launch's threads take their turns: what CUDA leaves open.
#pragma once

#include <cstdint>
#include <numeric>

#include "block.h"
#include "launch_state.h"

namespace cuda_emu {

// The block whose turn is `at` of `count`: from the last on, or scattered by a stride that has no
// divisor in common with the count.
inline std::uint64_t block_in_turn(Order order, std::uint64_t at, std::uint64_t count) {
  switch (order) {
    case Order::reverse: return count - 1 - at;
    case Order::scattered: {
      std::uint64_t stride = count * 5 / 8 + 1;
      while (std::gcd(stride, count) != 1) ++stride;
      return (at % count * stride + count / 3) % count;
    }
    default: return at;
  }
}

// The loop over a block's threads from the last to the first. It calls the kernel through a
// pointer, so that the usual loop, which is inlined, pays nothing for it.
inline void reverse_thread_loop(void *closure, Block *block, Fiber *self) {
  while (block->next < block->total) {
    unsigned linear = block->total - ++block->next;
    threadIdx.x = linear % block->dim.x;
    threadIdx.y = linear / block->dim.x % block->dim.y;
    threadIdx.z = linear / block->dim.x / block->dim.y;
    block->launch->once(closure);
    if (!self->owns_loop) {
      block->finish_waiting_thread(self);
      return;
    }
  }
}

}  // namespace cuda_emu
