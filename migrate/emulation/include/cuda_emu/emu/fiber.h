// Stacks that can be switched: one per CUDA thread that had to wait for another one.
//
// x86-64 has a switch of its own (a few nanoseconds). Other machines take ucontext.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "vector_types.h"

#if !defined(__x86_64__) && !defined(CUDA_EMU_UCONTEXT)
#define CUDA_EMU_UCONTEXT 1
#endif
#ifdef CUDA_EMU_UCONTEXT
#include <ucontext.h>
#endif

namespace cuda_emu {

struct Block;

// A stack and, while a CUDA thread is waiting on it, that thread's state. What every wait touches
// comes first and fills one cache line: hundreds of these take turns.
struct alignas(64) Fiber {
  void *sp = nullptr;
  Fiber *next = nullptr;      // in the ready list, a wait list or the pool
  uint3 index{0, 0, 0};       // threadIdx of the waiting thread
  unsigned linear = 0;
  std::uint64_t value = 0;    // what this lane brings to a warp operation
  std::uint64_t result = 0;   // what the warp operation gives back
  unsigned parameter = 0;
  std::uint16_t width = 32;
  bool owns_loop = false;     // still runs the block's threads one after the other
  const char *waits_for = ""; // for the deadlock report
  Block *block = nullptr;
  char *stack = nullptr;
  std::size_t stack_bytes = 0;
#ifdef CUDA_EMU_UCONTEXT
  ucontext_t context;
#endif
};

#ifdef CUDA_EMU_UCONTEXT
inline void switch_stack(Fiber *from, Fiber *to) { swapcontext(&from->context, &to->context); }
#else
// Inline, so that calls and returns stay in pairs: a switch behind a call of its own would leave the
// processor's return predictor one entry ahead and cost a misprediction at every wait.
__attribute__((always_inline)) inline void switch_stack(Fiber *from, Fiber *to) {
  void **save = &from->sp;
  void *target = to->sp;
  __asm__ volatile(
      "leaq -128(%%rsp), %%rsp\n\t"  // past the red zone
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rcx\n\t"
      "pushq %%rcx\n\t"
      "movq %%rsp, (%%rax)\n\t"
      "movq %%rdx, %%rsp\n\t"
      "popq %%rcx\n\t"
      "jmp *%%rcx\n\t"
      "1:\n\t"
      "popq %%rbp\n\t"
      "leaq 128(%%rsp), %%rsp\n\t"
      : "+a"(save), "+d"(target)
      :
      : "rbx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
        "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}
#endif

// A cooperative launch keeps the stacks of all its threads at once: they are smaller.
inline constexpr std::size_t cooperative_stack_size = 64 * 1024;

inline std::size_t stack_size() {
  static const std::size_t bytes = [] {
    const char *text = std::getenv("CUDAMIGRATE_STACK_KB");
    long kib = text ? std::atol(text) : 0;
    return static_cast<std::size_t>(kib >= 16 ? kib : 512) * 1024;
  }();
  return bytes;
}

// Points the fiber's stack at `entry`, forgetting what ran on it. `colour` spreads the first frames
// over the cache sets: page-aligned stacks would otherwise all fight for the same ones.
inline void prepare_stack(Fiber *fiber, void (*entry)(), unsigned colour) {
#ifdef CUDA_EMU_UCONTEXT
  (void)colour;
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack;
  fiber->context.uc_stack.ss_size = fiber->stack_bytes;
  fiber->context.uc_link = nullptr;
  makecontext(&fiber->context, entry, 0);
#else
  auto top = reinterpret_cast<std::uintptr_t>(fiber->stack + fiber->stack_bytes);
  top -= 64 + static_cast<std::uintptr_t>(colour % 61) * 320;
  top &= ~std::uintptr_t{63};
  void **sp = reinterpret_cast<void **>(top) - 1;  // entry sees rsp = 8 modulo 16, as after a call
  *sp = nullptr;
  *--sp = reinterpret_cast<void *>(entry);
  fiber->sp = sp;
#endif
}

inline Fiber *make_fiber(void (*entry)(), unsigned colour, std::size_t stack_bytes) {
  auto *fiber = new Fiber;
  std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t total = stack_bytes + page;
  void *memory = mmap(nullptr, total, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "cuda_emu: out of memory for the stacks of a block\n");
    std::_Exit(3);
  }
  mprotect(memory, page, PROT_NONE);  // an overrun faults instead of corrupting a neighbour
  fiber->stack = static_cast<char *>(memory) + page;
  fiber->stack_bytes = stack_bytes;
  prepare_stack(fiber, entry, colour);
  return fiber;
}

}  // namespace cuda_emu
