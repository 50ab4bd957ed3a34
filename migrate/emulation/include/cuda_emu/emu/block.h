// One thread block: its threads, barriers, warps and shared memory.
//
// The threads run one after the other on one stack. A thread that has to wait (barrier, warp
// operation) keeps that stack and the rest continues on another one. A kernel in which nobody waits
// therefore costs one call a thread and needs no analysis.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "check_hooks.h"
#include "errors.h"
#include "fiber.h"
#include "keywords.h"
#include "vector_types.h"

inline thread_local uint3 threadIdx{0, 0, 0};
inline thread_local uint3 blockIdx{0, 0, 0};
inline thread_local dim3 blockDim{1, 1, 1};
inline thread_local dim3 gridDim{1, 1, 1};
inline constexpr int warpSize = 32;

namespace cuda_emu {

struct Worker;
struct LaunchState;

struct FiberList {
  Fiber *head = nullptr;
  Fiber *tail = nullptr;
  unsigned count = 0;
  void push(Fiber *fiber) {
    fiber->next = nullptr;
    (tail ? tail->next : head) = fiber;
    tail = fiber;
    ++count;
  }
  Fiber *pop() {
    Fiber *fiber = head;
    head = fiber->next;
    if (!head) tail = nullptr;
    --count;
    return fiber;
  }
  void take(FiberList &other) {
    if (!other.head) return;
    (tail ? tail->next : head) = other.head;
    tail = other.tail;
    count += other.count;
    other = FiberList{};
  }
};

enum class WarpKind : std::uint8_t {
  sync, active, shfl_idx, shfl_up, shfl_down, shfl_xor, ballot, all, any,
  match_any, match_all, add, min_u, max_u, min_s, max_s, and_, or_, xor_,
};

// A warp operation that some lanes have reached and others have not.
struct WarpOp {
  std::uint32_t mask = 0;
  std::uint32_t arrived = 0;  // 0: this slot is free
  WarpKind kind = WarpKind::sync;
  bool lenient = false;       // may complete without the missing lanes (pre-Volta and activemask)
  Fiber *lanes[32];
};

struct Warp {
  std::uint32_t live = 0;  // lanes that wait or have waited and have not returned
  std::vector<WarpOp> ops;
};

// A barrier for a number of threads, by its own number (PTX: bar.sync 1, 64).
struct PartBarrier {
  FiberList waiting;
  unsigned arrived = 0;
};

struct Block {
  typedef void (*Loop)(void *closure, Block *block, Fiber *self);

  Worker *worker = nullptr;
  LaunchState *launch = nullptr;
  Loop loop = nullptr;
  void *closure = nullptr;
  uint3 index{0, 0, 0};
  dim3 dim;
  unsigned total = 0;
  unsigned next = 0;          // first thread not started
  uint3 next_index{0, 0, 0};
  unsigned live = 0;          // threads that wait or have waited and have not returned
  bool failed = false;

  FiberList ready;
  FiberList at_barrier;
  FiberList at_grid;
  std::vector<PartBarrier> parts;
  int barrier_count = 0, barrier_and = 1, barrier_or = 0;
  int result_count = 0, result_and = 0, result_or = 0;
  unsigned atomics = 0;       // since the last yield: finds threads that spin

  std::vector<Warp> warps;
  std::vector<void *> shared_slots;  // by slot number of the variable's type
  char *arena = nullptr;             // static shared variables, then the dynamic part
  std::size_t arena_bytes = 0, arena_used = 0;
  char *dynamic = nullptr;
  std::size_t dynamic_bytes = 0;
  std::vector<std::function<cudaError_t()>> children;  // kernels that its threads launched
  check::BlockState *checks = nullptr;  // null unless the checks are on

  // Starts the next thread on the calling stack. The coordinates are read one by one: a wide load
  // of what narrower stores have just written stalls the processor.
  void begin_thread(Fiber *self) {
    const volatile uint3 &at = next_index;
    unsigned x = at.x;
    threadIdx.x = x;
    threadIdx.y = at.y;
    threadIdx.z = at.z;
    self->linear = next++;
    if (++x == dim.x) {
      x = 0;
      if (++next_index.y == dim.y) {
        next_index.y = 0;
        ++next_index.z;
      }
    }
    next_index.x = x;
  }
  // A thread that had to wait at least once has returned.
  void finish_waiting_thread(Fiber *self) {
    --live;
    warps[self->linear / 32].live &= ~(1u << (self->linear % 32));
  }
};

// What every OS thread that runs blocks owns.
struct Worker {
  Fiber main;               // the OS stack itself
  Fiber *current = nullptr; // null outside kernels
  Block *block = nullptr;
  FiberList pool;         // stacks that are free
  FiberList small_pool;   // the same for cooperative launches
  std::size_t stack_bytes = stack_size();
  unsigned stacks = 0;
  Block share;               // the block that runs, where blocks run one after the other
  Worker *next_idle = nullptr;
};
inline thread_local Worker *this_worker = nullptr;

// The loop over the threads of a block, instantiated for each kernel call so that it can be inlined.
// Counters stay in registers: nobody else starts threads while this stack owns the loop.
template <class Body>
void thread_loop(void *closure, Block *block, Fiber *self) {
  Body &body = *static_cast<Body *>(closure);
  const unsigned total = block->total, width = block->dim.x, height = block->dim.y;
  unsigned next = block->next;
  if (next >= total) return;
  unsigned x = next, y = 0, z = 0;
  if (x >= width) {
    x = next % width;
    y = next / width % height;
    z = next / width / height;
  }
  threadIdx.y = y;
  threadIdx.z = z;
  for (;;) {
    threadIdx.x = x;
    block->next = ++next;
    body();
    if (!self->owns_loop) {
      block->finish_waiting_thread(self);
      return;
    }
    if (next == total) return;
    if (++x == width) {
      x = 0;
      if (++y == height) {
        y = 0;
        threadIdx.z = ++z;
      }
      threadIdx.y = y;
    }
  }
}

CUDA_EMU_API Worker &worker();
CUDA_EMU_API void start_block(Block &block, uint3 index);
CUDA_EMU_API void run_block(Block &block);
[[noreturn]] CUDA_EMU_API void abandon_block(cudaError_t error);
// Set while a kernel runs on a launch of another instance (variants_impl.h), whose blocks may have
// another size than this instance was made for. Algorithms for blocks of a fixed size then ask.
inline bool borrowed_launch = false;
CUDA_EMU_API void expect_block_size(unsigned threads);
CUDA_EMU_API void block_barrier(int predicate);
// Opens when `count` threads have arrived; who does not wait only arrives.
CUDA_EMU_API void part_barrier(unsigned number, unsigned count, bool waits);
CUDA_EMU_API void grid_barrier();
CUDA_EMU_API void yield_thread();
CUDA_EMU_API std::uint64_t warp_operation(WarpKind kind, std::uint32_t mask, bool lenient,
                                          std::uint64_t value, unsigned parameter, unsigned width);
CUDA_EMU_API std::size_t next_shared_slot();
CUDA_EMU_API void *allocate_shared(Block &block, std::size_t slot, std::size_t bytes,
                                   std::size_t align);
CUDA_EMU_API void *dynamic_shared_memory();

// Runs the kernels that the block launched, each with all that it launches, in order.
CUDA_EMU_API void run_children(Block &block);
inline thread_local bool running_children = false;

inline Block &current_block() { return *this_worker->block; }
inline bool in_kernel() { return this_worker && this_worker->current; }

// The block's instance of a `__shared__` declaration; each declaration has a type of its own.
template <class T>
T &static_shared() {
  static const std::size_t slot = next_shared_slot();
  Block &block = current_block();
  if (slot < block.shared_slots.size() && block.shared_slots[slot])
    return *static_cast<T *>(block.shared_slots[slot]);
  return *static_cast<T *>(allocate_shared(block, slot, sizeof(T), alignof(T)));
}

template <class T>
T &dynamic_shared() {
  return *reinterpret_cast<T *>(dynamic_shared_memory());
}

// A file-scope `extern __shared__ T name[]`.
template <class T>
struct DynamicShared {
  operator T *() const { return static_cast<T *>(dynamic_shared_memory()); }
};

// Lets a thread that spins on an atomic give way, so that the others can set what it waits for.
inline void count_atomic() {
  if (!in_kernel()) return;
  if (++this_worker->block->atomics >= 4096) yield_thread();
}

}  // namespace cuda_emu

inline void __syncthreads() { cuda_emu::block_barrier(0); }
inline int __syncthreads_count(int predicate) {
  cuda_emu::block_barrier(predicate != 0);
  return cuda_emu::current_block().result_count;
}
inline int __syncthreads_and(int predicate) {
  cuda_emu::block_barrier(predicate != 0);
  return cuda_emu::current_block().result_and;
}
inline int __syncthreads_or(int predicate) {
  cuda_emu::block_barrier(predicate != 0);
  return cuda_emu::current_block().result_or;
}
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __nanosleep(unsigned) {
  if (cuda_emu::in_kernel()) cuda_emu::yield_thread();
}
