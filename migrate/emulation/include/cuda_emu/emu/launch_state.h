// What a launch is while it runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "errors.h"
#include "keywords.h"
#include "vector_types.h"

struct CUstream_st;
typedef struct CUstream_st *cudaStream_t;

namespace cuda_emu {

struct Block;
struct Fiber;

struct Config {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
};

inline Config config(dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                     cudaStream_t stream = nullptr) {
  return Config{grid, block, shared_bytes, stream, false};
}

// Turns of the threads: as their numbers say, or both blocks and threads from the last on, or
// blocks scattered and threads from the last on.
enum class Order : std::uint8_t { forward, reverse, scattered };

// One argument of a launch as the host passed it.
struct ArgumentSlot {
  void *address;
  std::size_t size;
};

// A call site that holds nothing but its arguments, so that a launch with arguments of the same types
// can run its kernel (variants_impl.h). One for each instance that a template's code could launch.
struct LaunchSite {
  const char *arguments;  // their types
  void (*loop)(void *closure, Block *block, Fiber *self);
  void (*once)(void *closure);
  void *(*bind)(const ArgumentSlot *slots);  // the closure of a launch with these arguments
  const LaunchSite *next;
};

struct LaunchState {
  Config config;
  const LaunchSite *site = nullptr;
  void (*loop)(void *closure, Block *block, Fiber *self) = nullptr;
  void (*once)(void *closure) = nullptr;  // one thread's call, for the probe
  void *closure = nullptr;
  const ArgumentSlot *slots = nullptr;
  unsigned slot_count = 0;
  Order order = Order::forward;
  int error = 0;                          // cudaError_t, written by any worker
};

inline void fail_launch(LaunchState &launch, cudaError_t error) {
  __atomic_store_n(&launch.error, static_cast<int>(error), __ATOMIC_RELAXED);
}

CUDA_EMU_API const char *kernel_name(LaunchState &launch);

}  // namespace cuda_emu
