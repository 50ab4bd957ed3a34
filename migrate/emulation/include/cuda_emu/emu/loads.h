// Loads and stores with a cache hint, clocks, and the address-space tests: plain accesses here.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "block.h"
#include "shared_window.h"

template <class T> inline T __ldg(const T *p) { return *p; }
template <class T> inline T __ldca(const T *p) { return *p; }
template <class T> inline T __ldcg(const T *p) { return *p; }
template <class T> inline T __ldcs(const T *p) { return *p; }
template <class T> inline T __ldlu(const T *p) { return *p; }
template <class T> inline T __ldcv(const T *p) { return *const_cast<const volatile T *>(p); }
template <class T> inline void __stcg(T *p, T v) { *p = v; }
template <class T> inline void __stcs(T *p, T v) { *p = v; }
template <class T> inline void __stwb(T *p, T v) { *p = v; }
template <class T> inline void __stwt(T *p, T v) { *p = v; }

inline long long clock64() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}
// In a kernel `clock` counts device clocks, on the host the processor time of the program.
extern "C" inline clock_t clock() noexcept {
  if (cuda_emu::in_kernel()) return static_cast<clock_t>(clock64());
  timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<clock_t>(used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (1000000000 / CLOCKS_PER_SEC));
}
[[noreturn]] inline void __trap() {
  std::fflush(stdout);
  std::fprintf(stderr, "cuda_emu: __trap in block (%u,%u,%u), thread (%u,%u,%u)\n", blockIdx.x,
               blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  std::abort();
}
inline void __brkpt() {}
inline void __prof_trigger(int) {}
template <class T> inline unsigned __isConstant(const T *) { return 0; }
template <class T> inline unsigned __isLocal(const T *) { return 0; }
inline void *__cvta_global_to_generic(size_t address) { return reinterpret_cast<void *>(address); }
template <class T> inline size_t __cvta_generic_to_global(const T *p) { return reinterpret_cast<size_t>(p); }
#ifndef __clang__
#define __builtin_assume(condition) static_cast<void>(0)
#endif
