// Running a launch: checks, the blocks over the cores, cooperative launches, reports.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "block_impl.h"
#include "capture.h"
#include "device.h"
#include "faults.h"
#include "fission_impl.h"
#include "launch.h"
#include "memory.h"
#include "order.h"

namespace cuda_emu {

inline std::uint64_t volume(const dim3 &d) {
  return std::uint64_t{d.x} * d.y * d.z;
}

inline uint3 unflatten(std::uint64_t at, const dim3 &grid) {
  return uint3{static_cast<unsigned>(at % grid.x), static_cast<unsigned>(at / grid.x % grid.y),
               static_cast<unsigned>(at / grid.x / grid.y)};
}

CUDA_EMU_API const char *kernel_name(LaunchState &launch) {
  Probe names;
  names.names_only = true;
  Probe *before = probe;
  probe = &names;
  launch.once(launch.closure);
  probe = before;
  return names.answered ? names.pretty : "(unknown)";
}

inline void fail_in_kernel(const char *what) {
  Block &block = current_block();
  std::fprintf(stderr, "cuda_emu: %s in kernel %s, block (%u,%u,%u), thread (%u,%u,%u)\n", what,
               kernel_name(*block.launch), blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x,
               threadIdx.y, threadIdx.z);
  std::fflush(nullptr);
  std::_Exit(3);
}

// Limits of compute capability 8.0 (CUDA C++ programming guide, "Technical Specifications").
inline cudaError_t check_config(const Config &c) {
  if (!c.block.x || !c.block.y || !c.block.z || !c.grid.x || !c.grid.y || !c.grid.z)
    return cudaErrorInvalidConfiguration;
  if (c.block.x > 1024 || c.block.y > 1024 || c.block.z > 64 || volume(c.block) > 1024)
    return cudaErrorInvalidConfiguration;
  if (c.grid.x > 0x7FFFFFFFu || c.grid.y > 65535 || c.grid.z > 65535)
    return cudaErrorInvalidConfiguration;
  if (c.shared_bytes > static_cast<std::size_t>(shared_memory_per_block_optin))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

inline void bind_block(Block &block, LaunchState &launch, Worker &w) {
  block.worker = &w;
  block.dynamic = nullptr;
  block.launch = &launch;
  block.loop = launch.order == Order::forward ? launch.loop : reverse_thread_loop;
  block.closure = launch.closure;
  block.dim = launch.config.block;
  block.total = static_cast<unsigned>(volume(launch.config.block));
  block.dynamic_bytes = launch.config.shared_bytes;
  if (block.warps.size() != (block.total + 31) / 32) block.warps.clear();
}

// After a deadlock the worker's stacks hold frames that are never left: start with fresh ones.
inline void forget_stacks(Worker &w) { w.pool = FiberList{}; }

// One OS thread's share of a launch: takes blocks until none is left.
inline void run_share(LaunchState &launch, std::uint64_t &next, std::uint64_t blocks,
                      std::uint64_t chunk) {
  install_fault_reports();
  Worker &w = worker();
  Block &block = w.share;
  bind_block(block, launch, w);
  blockDim = launch.config.block;
  gridDim = launch.config.grid;
  for (;;) {
    std::uint64_t first = __atomic_fetch_add(&next, chunk, __ATOMIC_RELAXED);
    if (first >= blocks || __atomic_load_n(&launch.error, __ATOMIC_RELAXED)) break;
    std::uint64_t last = std::min(first + chunk, blocks);
    for (std::uint64_t at = first; at < last; ++at) {
      std::uint64_t turn = block_in_turn(launch.order, at, blocks);
      start_block(block, unflatten(turn, launch.config.grid));
      run_block(block);
      run_children(block);
      if (!block.failed && block.at_grid.count) {
        std::fprintf(stderr, "cuda_emu: grid.sync() in kernel %s needs a cooperative launch\n",
                     kernel_name(launch));
        block.failed = true;
        fail_launch(launch, cudaErrorLaunchFailure);
      }
      if (block.failed) {
        forget_stacks(w);
        break;
      }
    }
  }
  w.block = nullptr;
}

// All blocks at once on one OS thread, each going as far as the next grid barrier.
inline void run_together(LaunchState &launch, std::uint64_t count) {
  Worker &w = worker();
  std::vector<Block> blocks(count);
  std::swap(w.pool, w.small_pool);
  w.stack_bytes = std::min(stack_size(), cooperative_stack_size);
  blockDim = launch.config.block;
  gridDim = launch.config.grid;
  for (std::uint64_t i = 0; i < count; ++i) {
    bind_block(blocks[i], launch, w);
    start_block(blocks[i], unflatten(block_in_turn(launch.order, i, count), launch.config.grid));
  }
  for (bool more = true; more;) {
    more = false;
    for (Block &block : blocks) {
      run_block(block);
      if (block.failed) forget_stacks(w);
    }
    if (launch.error) break;
    for (Block &block : blocks) run_children(block);
    check::grid_barrier_opens();
    for (Block &block : blocks)
      if (block.at_grid.count) {
        wake(block, block.at_grid);
        more = true;
      }
  }
  for (Block &block : blocks) {
    if (block.arena) check::return_memory(block.arena, block.arena_bytes);
    check::block_dropped(block);
  }
  std::swap(w.pool, w.small_pool);
  w.stack_bytes = stack_size();
  w.block = nullptr;
}

// OS threads that wait for launches. The launching thread always takes part.
class Pool {
 public:
  explicit Pool(unsigned helpers) {
    for (unsigned i = 0; i < helpers; ++i) std::thread([this] { serve(); }).detach();
    helpers_ = helpers;
  }
  unsigned helpers() const { return helpers_; }

  template <class Share>
  void run(Share &share) {
    std::unique_lock<std::mutex> turn(turn_);  // one launch at a time uses the helpers
    {
      std::lock_guard<std::mutex> lock(mutex_);
      work_ = [](void *s) { (*static_cast<Share *>(s))(); };
      argument_ = &share;
      ++generation_;
      busy_ = helpers_;
    }
    start_.notify_all();
    share();
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void serve() {
    std::uint64_t seen = 0;
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      start_.wait(lock, [&] { return generation_ != seen; });
      seen = generation_;
      auto work = work_;
      void *argument = argument_;
      lock.unlock();
      work(argument);
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  unsigned helpers_ = 0;
  std::mutex turn_, mutex_;
  std::condition_variable start_, done_;
  void (*work_)(void *) = nullptr;
  void *argument_ = nullptr;
  std::uint64_t generation_ = 0;
  unsigned busy_ = 0;
};

// A capture runs on one core unless told otherwise: atomics then add up in the same order each time.
inline unsigned core_count() {
  const char *text = std::getenv("CUDAMIGRATE_THREADS");
  long wanted = text ? std::atol(text) : 0;
  if (wanted > 0) return static_cast<unsigned>(std::min(wanted, 256L));
  if (capture_enabled()) return 1;
  unsigned cores = std::thread::hardware_concurrency();
  return cores ? cores : 1;
}

inline Pool &pool() {
  static Pool *instance = new Pool(core_count() - 1);  // never destroyed: its threads never end
  return *instance;
}

// Gives out the blocks of a launch in stretches, over the cores when there is enough to do.
inline void each_share(const Config &config, void (*run)(void *, std::uint64_t, std::uint64_t),
                       void *argument) {
  std::uint64_t blocks = volume(config.grid), next = 0;
  unsigned helpers = pool().helpers();
  std::uint64_t chunk = std::max<std::uint64_t>(1, blocks / (8 * (helpers + 1)));
  auto share = [&] {
    for (;;) {
      std::uint64_t first = __atomic_fetch_add(&next, chunk, __ATOMIC_RELAXED);
      if (first >= blocks) return;
      run(argument, first, std::min(first + chunk, blocks));
    }
  };
  // Waking the helpers costs more than a small launch does.
  if (helpers == 0 || blocks == 1 || blocks * volume(config.block) < 4096) return share();
  pool().run(share);
}

inline void run_blocks(LaunchState &launch) {
  std::uint64_t blocks = volume(launch.config.grid), next = 0;
  if (launch.config.cooperative && blocks > 1) return run_together(launch, blocks);
  unsigned helpers = pool().helpers();
  std::uint64_t chunk = std::max<std::uint64_t>(1, blocks / (8 * (helpers + 1)));
  auto share = [&] { run_share(launch, next, blocks, chunk); };
  // Waking the helpers costs more than a small launch does.
  if (helpers == 0 || blocks == 1 || blocks * volume(launch.config.block) < 4096) return share();
  pool().run(share);
}

CUDA_EMU_API bool skip_kernels() {
  static const bool skip = [] {
    const char *text = std::getenv("CUDAMIGRATE_SKIP_KERNELS");
    return text && *text && *text != '0';
  }();
  return skip;
}

CUDA_EMU_API cudaError_t launch_later(const Config &config, std::function<cudaError_t()> child) {
  if (cudaError_t error = check_config(config)) return fail(error);
  current_block().children.push_back(std::move(child));
  return cudaSuccess;
}

CUDA_EMU_API void work_follows() {
  if (in_kernel() && !running_children) run_children(current_block());
}

CUDA_EMU_API void run_children(Block &block) {
  while (!block.children.empty() && !block.failed) {
    auto children = std::move(block.children);
    block.children.clear();
    running_children = true;
    for (auto &child : children)
      if (cudaError_t error = child()) fail_launch(*block.launch, error);
    running_children = false;
  }
}

CUDA_EMU_API cudaError_t execute(LaunchState &launch) {
  install_fault_reports();
  if (cudaError_t error = context_state()) return fail(error);
  if (cudaError_t error = check_config(launch.config)) return fail(error);
  if (launch.config.cooperative && volume(launch.config.grid) > max_cooperative_blocks(launch.config))
    return fail(cudaErrorCooperativeLaunchTooLarge);
  check::launch_begins(launch);
  if (running_children) {  // each runs to its end on a thread of its own
    std::thread child([&] {
      std::uint64_t next = 0;
      run_share(launch, next, volume(launch.config.grid), 1);
    });
    child.join();
    check::launch_ends();
    return static_cast<cudaError_t>(launch.error);
  }
  CapturedLaunch *captured = capture_enabled() ? capture_before(launch) : nullptr;
  if (!skip_kernels()) run_kernel(launch, captured != nullptr);
  check::launch_ends();
  if (captured) capture_after(captured, launch.error != 0);
  return fail(static_cast<cudaError_t>(launch.error));
}

}  // namespace cuda_emu
