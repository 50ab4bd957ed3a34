// What instrumented code calls: the thread sanitizer's accesses and atomics, the undefined-behaviour
// sanitizer's array index and alignment findings. The names are the compilers' interface.
#pragma once

#include "check_access.h"

namespace cuda_emu {
namespace check {

struct SourceLocation { const char *file; std::uint32_t line, column; };
struct TypeDescriptor { std::uint16_t kind, info; char name[1]; };
struct OutOfBounds { SourceLocation at; const TypeDescriptor *array, *index; };
struct TypeMismatch {
  SourceLocation at;
  const TypeDescriptor *type;
  std::uint8_t log_alignment, kind;
};

inline void add_source(Line &line, const SourceLocation &at) {
  line.text("file", at.file ? at.file : "");
  line.number("line", at.line);
  line.number("column", at.column);
}

inline void report_index(const OutOfBounds &data, std::uintptr_t index, const void *pc) {
  Busy guard;
  if (!first_time("array-index", short_pc(pc))) return;
  Line line("array-index");
  line.chain("pc", call_chain(pc));
  add_source(line, data.at);
  line.text("type", data.array->name);
  line.signed_number("index", static_cast<std::int64_t>(index));
  add_place(line);
  write_line(line.done());
}

inline void report_alignment(const TypeMismatch &data, std::uintptr_t address, const void *pc) {
  Busy guard;
  if (!first_time("misaligned", short_pc(pc))) return;
  Line line("misaligned");
  line.chain("pc", call_chain(pc));
  add_source(line, data.at);
  line.text("type", data.type->name);
  line.number("alignment", 1ull << data.log_alignment);
  add_place(line);
  add_address(line, address);
  write_line(line.done());
}

template <class T>
inline void atomic_entry(const volatile T *p, bool write, const void *pc) {
  access(p, sizeof(T), write, true, atomic, pc);
}

}  // namespace check
}  // namespace cuda_emu

#define CUDA_EMU_PC __builtin_return_address(0)
#define CUDA_EMU_ACCESS(N)                                                                         \
  void __tsan_read##N(void *p) { cuda_emu::check::access(p, N, false, true, 0, CUDA_EMU_PC); }     \
  void __tsan_write##N(void *p) { cuda_emu::check::access(p, N, true, false, 0, CUDA_EMU_PC); }    \
  void __tsan_unaligned_read##N(void *p) {                                                         \
    cuda_emu::check::access(p, N, false, true, 0, CUDA_EMU_PC);                                    \
  }                                                                                                \
  void __tsan_unaligned_write##N(void *p) {                                                        \
    cuda_emu::check::access(p, N, true, false, 0, CUDA_EMU_PC);                                    \
  }                                                                                                \
  void __tsan_volatile_read##N(void *p) {                                                          \
    cuda_emu::check::access(p, N, false, true, cuda_emu::check::is_volatile, CUDA_EMU_PC);         \
  }                                                                                                \
  void __tsan_volatile_write##N(void *p) {                                                         \
    cuda_emu::check::access(p, N, true, false, cuda_emu::check::is_volatile, CUDA_EMU_PC);         \
  }                                                                                                \
  void __tsan_unaligned_volatile_read##N(void *p) {                                                \
    cuda_emu::check::access(p, N, false, true, cuda_emu::check::is_volatile, CUDA_EMU_PC);         \
  }                                                                                                \
  void __tsan_unaligned_volatile_write##N(void *p) {                                               \
    cuda_emu::check::access(p, N, true, false, cuda_emu::check::is_volatile, CUDA_EMU_PC);         \
  }

#define CUDA_EMU_FETCH(BITS, T, NAME)                                                              \
  T __tsan_atomic##BITS##_fetch_##NAME(volatile T *p, T v, int) {                                  \
    cuda_emu::check::atomic_entry(p, true, CUDA_EMU_PC);                                           \
    return __atomic_fetch_##NAME(p, v, __ATOMIC_SEQ_CST);                                          \
  }
#define CUDA_EMU_ATOMIC_ENTRY(BITS, T)                                                             \
  T __tsan_atomic##BITS##_load(const volatile T *p, int) {                                         \
    cuda_emu::check::atomic_entry(p, false, CUDA_EMU_PC);                                          \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  void __tsan_atomic##BITS##_store(volatile T *p, T v, int) {                                      \
    cuda_emu::check::access(p, sizeof(T), true, false, cuda_emu::check::atomic, CUDA_EMU_PC);      \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                \
  T __tsan_atomic##BITS##_exchange(volatile T *p, T v, int) {                                      \
    cuda_emu::check::access(p, sizeof(T), true, false, cuda_emu::check::atomic, CUDA_EMU_PC);      \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  CUDA_EMU_FETCH(BITS, T, add)                                                                     \
  CUDA_EMU_FETCH(BITS, T, sub)                                                                     \
  CUDA_EMU_FETCH(BITS, T, and)                                                                     \
  CUDA_EMU_FETCH(BITS, T, or)                                                                      \
  CUDA_EMU_FETCH(BITS, T, xor)                                                                     \
  CUDA_EMU_FETCH(BITS, T, nand)                                                                    \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile T *p, T *c, T v, int, int) {          \
    cuda_emu::check::atomic_entry(p, true, CUDA_EMU_PC);                                           \
    return __atomic_compare_exchange_n(p, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
  }                                                                                                \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile T *p, T *c, T v, int, int) {            \
    cuda_emu::check::atomic_entry(p, true, CUDA_EMU_PC);                                           \
    return __atomic_compare_exchange_n(p, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
  }

extern "C" {
CUDA_EMU_ACCESS(1)
CUDA_EMU_ACCESS(2)
CUDA_EMU_ACCESS(4)
CUDA_EMU_ACCESS(8)
CUDA_EMU_ACCESS(16)
CUDA_EMU_ATOMIC_ENTRY(8, unsigned char)
CUDA_EMU_ATOMIC_ENTRY(16, unsigned short)
CUDA_EMU_ATOMIC_ENTRY(32, unsigned)
CUDA_EMU_ATOMIC_ENTRY(64, unsigned long)
void __tsan_read_range(void *p, std::size_t n) {
  cuda_emu::check::range_access(p, n, false, CUDA_EMU_PC);
}
void __tsan_write_range(void *p, std::size_t n) {
  cuda_emu::check::range_access(p, n, true, CUDA_EMU_PC);
}
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void *, void *) {}
void __tsan_vptr_read(void *) {}
void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (cuda_emu::in_kernel()) cuda_emu::check::note_fence();
}
void __tsan_atomic_signal_fence(int) {}

void __ubsan_handle_out_of_bounds(void *data, std::uintptr_t index) {
  if (!cuda_emu::in_kernel() || !cuda_emu::check::wanted().memory || cuda_emu::check::busy) return;
  cuda_emu::check::report_index(*static_cast<cuda_emu::check::OutOfBounds *>(data), index,
                                CUDA_EMU_PC);
}
void __ubsan_handle_type_mismatch_v1(void *data, std::uintptr_t address) {
  if (!cuda_emu::in_kernel() || !cuda_emu::check::wanted().memory || cuda_emu::check::busy) return;
  cuda_emu::check::report_alignment(*static_cast<cuda_emu::check::TypeMismatch *>(data), address,
                                    CUDA_EMU_PC);
}
}
#undef CUDA_EMU_ACCESS
#undef CUDA_EMU_FETCH
#undef CUDA_EMU_ATOMIC_ENTRY
