// Crashes inside a kernel: say which kernel, block and thread before the process dies.
#pragma once

#include <errno.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "block.h"
#include "launch_state.h"

namespace cuda_emu {

CUDA_EMU_API void install_fault_reports();

#ifdef CUDA_EMU_DEFINE_BODIES
inline void report_fault(int signal_number) {
  std::signal(signal_number, SIG_DFL);  // a second fault, or the return from here, ends the process
  if (in_kernel() && this_worker->block && this_worker->block->launch) {
    const char *what = signal_number == SIGFPE ? "arithmetic fault (integer division by zero?)"
                       : signal_number == SIGABRT ? "abort or failed assertion"
                                                  : "invalid memory access or stack overflow";
    std::fprintf(stderr, "cuda_emu: %s in block (%u,%u,%u), thread (%u,%u,%u)", what, blockIdx.x,
                 blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
    std::fflush(stderr);
    // Asking for the name runs code of the program: last, and after what is certain is out.
    std::fprintf(stderr, " of kernel %s\n", kernel_name(*this_worker->block->launch));
  }
  std::fflush(nullptr);
  std::raise(signal_number);
}

// Per OS thread: the handler needs a stack of its own, since the kernel's may be used up.
CUDA_EMU_API void install_fault_reports() {
  struct HandlerStack {
    stack_t stack{};
    HandlerStack() {
      stack.ss_size = 64 * 1024;
      stack.ss_sp = new char[stack.ss_size];
      sigaltstack(&stack, nullptr);
    }
    ~HandlerStack() {
      stack_t off{};
      off.ss_flags = SS_DISABLE;
      sigaltstack(&off, nullptr);
      delete[] static_cast<char *>(stack.ss_sp);
    }
  };
  static thread_local bool done = false;
  if (done) return;
  done = true;
  static thread_local HandlerStack handler_stack;
  (void)handler_stack;
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_handler = report_fault;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction before;
    sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_DFL) sigaction(number, &action, nullptr);
  }
}
#endif

}  // namespace cuda_emu

// A failed assert() in a kernel is an error of the launch; glibc's macro calls this function, and
// the program's own definition goes before the library's.
#if defined(CUDA_EMU_DEFINE_BODIES) && defined(__GLIBC__)
extern "C" __attribute__((weak)) void __assert_fail(const char *text, const char *file,
                                                    unsigned line, const char *function) noexcept {
  if (cuda_emu::in_kernel()) {
    std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s' failed.\n",
                 file, line, function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
                 threadIdx.z, text);
    cuda_emu::abandon_block(cudaErrorAssert);
  }
  std::fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name, file,
               line, function, text);
  std::abort();
}
#endif
