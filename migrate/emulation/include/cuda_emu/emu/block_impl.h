// Scheduling inside a block: who runs next, when a barrier opens, when nothing can go on.
#pragma once

#include <cstdio>
#include <mutex>

#include "block.h"
#include "launch_state.h"
#include "poison.h"
#include "warp_impl.h"

namespace cuda_emu {

// Workers of OS threads that have ended. A kernel that launches kernels takes a thread for each, and
// stacks that went with their threads would soon fill the address space.
class IdleWorkers {
 public:
  static Worker *take() {
    std::lock_guard<std::mutex> lock(mutex());
    Worker *found = head();
    if (!found) return new Worker;
    head() = found->next_idle;
    return found;
  }
  static void give(Worker *worker) {
    std::lock_guard<std::mutex> lock(mutex());
    worker->next_idle = head();
    head() = worker;
  }

 private:
  static std::mutex &mutex() {
    static auto *one = new std::mutex;  // never destroyed: threads end after static objects do
    return *one;
  }
  static Worker *&head() {
    static Worker *first = nullptr;
    return first;
  }
};

CUDA_EMU_API Worker &worker() {
  struct Lease {
    Worker *own = IdleWorkers::take();
    ~Lease() { IdleWorkers::give(own); }
  };
  static thread_local Lease lease;
  this_worker = lease.own;
  return *lease.own;
}

inline void fiber_main();

inline Fiber *take_fiber(Worker &w) {
  if (w.pool.head) return w.pool.pop();
  return make_fiber(fiber_main, w.stacks++, w.stack_bytes);
}

inline void wake(Block &block, FiberList &waiting) { block.ready.take(waiting); }

inline void open_barrier(Block &block) {
  check::barrier_opens(block);
  block.result_count = block.barrier_count;
  block.result_and = block.barrier_and;
  block.result_or = block.barrier_or;
  block.barrier_count = 0;
  block.barrier_and = 1;
  block.barrier_or = 0;
  wake(block, block.at_barrier);
}

// Opens what can open only because other threads have returned. True if somebody became ready.
inline bool release_after_exits(Block &block) {
  if (block.at_barrier.count && block.at_barrier.count == block.live) {
    open_barrier(block);
    return true;
  }
  for (unsigned w = 0; w < block.warps.size(); ++w)
    for (WarpOp &op : block.warps[w].ops)
      if (op.arrived && !(op.mask & alive_lanes(block, w) & ~op.arrived)) {
        complete(block, w, op);
        return true;
      }
  for (unsigned w = 0; w < block.warps.size(); ++w)
    for (WarpOp &op : block.warps[w].ops)
      if (op.arrived && op.lenient) {
        complete(block, w, op);
        return true;
      }
  return false;
}

CUDA_EMU_API void report_deadlock(Block &block) {
  block.failed = true;
  fail_launch(*block.launch, cudaErrorLaunchTimeout);
  std::fprintf(stderr,
               "cuda_emu: deadlock in kernel %s, block (%u,%u,%u): %u of %u threads wait for ever\n",
               kernel_name(*block.launch), block.index.x, block.index.y, block.index.z, block.live,
               block.total);
  unsigned shown = 0;
  auto show = [&](const Fiber *f) {
    if (shown++ < 3)
      std::fprintf(stderr, "cuda_emu:   thread (%u,%u,%u) waits in %s\n", f->index.x, f->index.y,
                   f->index.z, f->waits_for);
  };
  for (Fiber *f = block.at_barrier.head; f; f = f->next) show(f);
  shown = 0;
  for (Fiber *f = block.at_grid.head; f; f = f->next) show(f);
  for (PartBarrier &part : block.parts) {
    shown = 0;
    for (Fiber *f = part.waiting.head; f; f = f->next) show(f);
  }
  for (Warp &warp : block.warps)
    for (WarpOp &op : warp.ops) {
      shown = 0;
      for (unsigned lane = 0; lane < 32; ++lane)
        if (op.arrived >> lane & 1) show(op.lanes[lane]);
    }
  check::deadlocked(block, block.at_barrier.head);
  // The waiting threads' stacks are given up: their frames can never be left in an orderly way.
}

// Ends the running block for good and its launch with an error. The stacks of its threads are given up.
[[noreturn]] CUDA_EMU_API void abandon_block(cudaError_t error) {
  Worker &w = *this_worker;
  Fiber *self = w.current;
  w.block->failed = true;
  fail_launch(*w.block->launch, error);
  w.current = &w.main;
  switch_stack(self, &w.main);
  __builtin_unreachable();
}

CUDA_EMU_API void expect_block_size(unsigned threads) {
  if (blockDim.x * blockDim.y * blockDim.z != threads) abandon_block(cudaErrorInvalidConfiguration);
}

// The stack to continue on: a ready thread, else a new one, else the worker's own stack.
inline Fiber *pick(Block &block) {
  for (;;) {
    if (block.failed) return &block.worker->main;
    if (block.ready.head) {
      Fiber *fiber = block.ready.pop();
      // The stacks of a block outgrow the first-level cache: fetch the next one's in time.
      if (Fiber *after = block.ready.head) {
#ifndef CUDA_EMU_UCONTEXT
        __builtin_prefetch(after->sp);
        __builtin_prefetch(static_cast<char *>(after->sp) + 64);
#endif
        if (after->next) __builtin_prefetch(after->next);
      }
      return fiber;
    }
    if (block.next < block.total) {
      Fiber *fiber = take_fiber(*block.worker);
      fiber->block = &block;
      fiber->owns_loop = true;
      return fiber;
    }
    if (!block.live) return &block.worker->main;
    if (release_after_exits(block)) continue;
    if (block.at_grid.count == block.live) return &block.worker->main;
    report_deadlock(block);
  }
}

inline void fiber_main() {
  for (;;) {
    Worker &w = *this_worker;
    Fiber *self = w.current;
    Block *block = self->block;
    block->loop(block->closure, block, self);
    w.pool.push(self);
    Fiber *to = pick(*block);
    if (to == self) continue;  // the pool handed this very stack out again
    w.current = to;
    switch_stack(self, to);
  }
}

// Marks the running thread as one that waits: from here on it owns its stack. The coordinates are
// read one by one: a wide load of what narrower stores have just written stalls the processor.
inline void keep_stack(Block &block, Fiber *self, const char *reason) {
  self->waits_for = reason;
  if (!self->owns_loop) return;
  const volatile uint3 &at = threadIdx;
  unsigned x = at.x, y = at.y, z = at.z;
  self->index.x = x;
  self->index.y = y;
  self->index.z = z;
  self->linear = x + block.dim.x * (y + block.dim.y * z);
  self->owns_loop = false;
  ++block.live;
  if (block.warps.empty()) block.warps.resize((block.total + 31) / 32);
  block.warps[self->linear / 32].live |= 1u << (self->linear % 32);
}

inline void suspend(Block &block, Fiber *self) {
  Fiber *to = pick(block);
  if (to != self) {
    block.worker->current = to;
    switch_stack(self, to);
  }
  threadIdx = self->index;
}

CUDA_EMU_API void block_barrier(int predicate) {
  if (!in_kernel()) return;
  Worker &w = *this_worker;
  Block &block = *w.block;
  Fiber *self = w.current;
  if (block.total == 1) {
    block.result_count = block.result_and = block.result_or = predicate;
    return;
  }
  keep_stack(block, self, "__syncthreads");
  check::barrier_reached(block, self, __builtin_return_address(0));
  block.barrier_count += predicate;
  block.barrier_and &= predicate;
  block.barrier_or |= predicate;
  block.at_barrier.push(self);
  if (block.at_barrier.count == block.live && block.next == block.total) open_barrier(block);
  suspend(block, self);
}

CUDA_EMU_API void part_barrier(unsigned number, unsigned count, bool waits) {
  if (!in_kernel()) return;
  Worker &w = *this_worker;
  Block &block = *w.block;
  if (number >= block.parts.size()) block.parts.resize(number + 1);
  PartBarrier &part = block.parts[number];
  if (++part.arrived >= count) {
    part.arrived = 0;
    check::part_barrier_opens(block);
    wake(block, part.waiting);
    return;
  }
  if (!waits) return;
  Fiber *self = w.current;
  keep_stack(block, self, "a barrier of part of the block");
  part.waiting.push(self);
  suspend(block, self);
}

CUDA_EMU_API void grid_barrier() {
  Worker &w = *this_worker;
  Block &block = *w.block;
  Fiber *self = w.current;
  keep_stack(block, self, "grid.sync");
  block.at_grid.push(self);
  suspend(block, self);
}

CUDA_EMU_API void yield_thread() {
  Worker &w = *this_worker;
  Block &block = *w.block;
  block.atomics = 0;
  if (!block.ready.head && block.next >= block.total) return;
  Fiber *self = w.current;
  keep_stack(block, self, "a spin loop");
  // Behind the threads that have not started: the one waited for is often among them.
  Fiber *to = nullptr;
  if (block.next < block.total) {
    to = take_fiber(w);
    to->block = &block;
    to->owns_loop = true;
  } else {
    to = block.ready.pop();
  }
  block.ready.push(self);
  w.current = to;
  switch_stack(self, to);
  threadIdx = self->index;
}

CUDA_EMU_API void start_block(Block &block, uint3 index) {
  block.index = index;
  block.next = 0;
  block.next_index = uint3{0, 0, 0};
  block.live = 0;
  block.failed = false;
  block.ready = block.at_barrier = block.at_grid = FiberList{};
  for (PartBarrier &part : block.parts) part = PartBarrier{};
  block.barrier_count = block.barrier_or = 0;
  block.barrier_and = 1;
  block.atomics = 0;
  block.children.clear();
  if (block.arena_used || block.dynamic) {
    for (void *&slot : block.shared_slots) slot = nullptr;
    block.arena_used = 0;
    block.dynamic = nullptr;
  }
  for (Warp &warp : block.warps) {
    warp.live = 0;
    for (WarpOp &op : warp.ops) op.arrived = 0;
  }
  check::block_starts(block);
}

// Runs until every thread has returned, or all that are left wait at the grid barrier.
CUDA_EMU_API void run_block(Block &block) {
  Worker &w = *block.worker;
  w.block = &block;
  check::block_continues(block);
  blockIdx = block.index;
  Fiber *to = pick(block);
  if (to != &w.main) {
    w.current = to;
    switch_stack(&w.main, to);
  }
  w.current = nullptr;
}

CUDA_EMU_API std::size_t next_shared_slot() {
  static std::size_t slots = 0;
  return __atomic_fetch_add(&slots, 1, __ATOMIC_RELAXED);
}

inline void *carve(Block &block, std::size_t bytes, std::size_t align) {
  constexpr std::size_t capacity = 512 * 1024;
  check::Quiet quiet;
  if (!block.arena) {
    block.arena = check::take_memory(capacity);
    block.arena_bytes = capacity;
  }
  constexpr std::size_t gap = check::enabled ? 256 : 0;  // an overrun must not meet a neighbour
  std::size_t at = (block.arena_used + gap + align - 1) / align * align;
  if (at + bytes > block.arena_bytes) {
    std::fprintf(stderr, "cuda_emu: kernel %s needs more than %zu bytes of shared memory\n",
                 kernel_name(*block.launch), block.arena_bytes);
    std::_Exit(3);
  }
  block.arena_used = at + bytes;
  fill_fresh(block.arena + at, bytes);
  check::shared_memory(block, block.arena + at, bytes);
  return block.arena + at;
}

CUDA_EMU_API void *allocate_shared(Block &block, std::size_t slot, std::size_t bytes,
                                   std::size_t align) {
  if (slot >= block.shared_slots.size()) block.shared_slots.resize(slot + 1, nullptr);
  return block.shared_slots[slot] = carve(block, bytes, align < 16 ? 16 : align);
}

CUDA_EMU_API void *dynamic_shared_memory() {
  Block &block = current_block();
  if (!block.dynamic) block.dynamic = static_cast<char *>(carve(block, block.dynamic_bytes, 256));
  return block.dynamic;
}

}  // namespace cuda_emu
