// Where the runtime tells the checks (`cudamigrate run --check`) what happens.
//
// Without CUDA_EMU_CHECK every hook is empty and costs nothing. With it the program's own units are
// compiled with the compiler's thread-sanitizer instrumentation, and check.h answers those calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fresh_memory.h"

namespace cuda_emu {

struct Allocation;
struct Block;
struct Fiber;
struct LaunchState;
struct WarpOp;

namespace check {

struct BlockState;  // barriers passed, warp clocks: see check_order.h

#ifdef CUDA_EMU_CHECK
inline constexpr bool enabled = true;

// Memory that kernels may touch: from a range with shadow, never reused soon.
char *take_memory(std::size_t bytes);
void return_memory(char *block, std::size_t bytes);
void allocated(const Allocation &a);
void released(const Allocation &a);
void adopted(const Allocation &a);
void bad_free(const void *pointer);
void bad_range(const void *pointer, std::size_t bytes, const char *call);
void context_reset();

void launch_begins(LaunchState &launch);
void launch_ends();
void block_starts(Block &block);
void block_continues(Block &block);
void block_dropped(Block &block);
void shared_memory(Block &block, char *at, std::size_t bytes);
void barrier_reached(Block &block, const Fiber *thread, const void *caller);
void barrier_opens(Block &block);
void part_barrier_opens(Block &block);
void grid_barrier_opens();
void warp_gathered(Block &block, unsigned warp, const WarpOp &op);
void deadlocked(Block &block, const Fiber *thread);
void wrong_mask(std::uint32_t mask);

// Streams by their numbers (0: the default one), events by their addresses.
void stream_made(int stream, bool blocking);
void stream_waited(int stream);
void stream_waits(int stream, const void *event);
void event_recorded(const void *event, int stream);
void event_waited(const void *event);
void device_waited();

// While it lives, copies belong to the stream; otherwise the host waits for them.
struct StreamScope {
  int before;
  explicit StreamScope(int stream);
  ~StreamScope();
};

// While it lives, what the runtime does on this OS thread is its own business.
struct Quiet {
  bool before;
  Quiet();
  ~Quiet();
};
#else
inline constexpr bool enabled = false;

inline char *take_memory(std::size_t bytes) {
  if (bytes >= large_bytes) return take_large(bytes);
  return static_cast<char *>(std::aligned_alloc(256, bytes));
}
inline void return_memory(char *block, std::size_t bytes) {
  if (bytes >= large_bytes) return_large(block, bytes);
  else std::free(block);
}
inline void allocated(const Allocation &) {}
inline void released(const Allocation &) {}
inline void adopted(const Allocation &) {}
inline void bad_free(const void *) {}
inline void bad_range(const void *, std::size_t, const char *) {}
inline void context_reset() {}
inline void launch_begins(LaunchState &) {}
inline void launch_ends() {}
inline void block_starts(Block &) {}
inline void block_continues(Block &) {}
inline void block_dropped(Block &) {}
inline void shared_memory(Block &, char *, std::size_t) {}
inline void barrier_reached(Block &, const Fiber *, const void *) {}
inline void barrier_opens(Block &) {}
inline void part_barrier_opens(Block &) {}
inline void grid_barrier_opens() {}
inline void warp_gathered(Block &, unsigned, const WarpOp &) {}
inline void deadlocked(Block &, const Fiber *) {}
inline void wrong_mask(std::uint32_t) {}
inline void stream_made(int, bool) {}
inline void stream_waited(int) {}
inline void stream_waits(int, const void *) {}
inline void event_recorded(const void *, int) {}
inline void event_waited(const void *) {}
inline void device_waited() {}
struct StreamScope {
  explicit StreamScope(int) {}
};
struct Quiet {
  Quiet() {}
};
#endif

}  // namespace check
}  // namespace cuda_emu
