// How a launch learns which kernel it runs: the kernel tells it.
//
// The rewriter puts CUDA_EMU_KERNEL_ENTRY(parameters) first in every kernel body. A launch that wants
// to know makes one call with `probe` set; the kernel then hands over its name, its mangled name and
// its parameters, in their declared types, and returns before it does anything.
#pragma once

#include <typeinfo>

#include "argument.h"
#include "keywords.h"
#include "vector_types.h"

namespace cuda_emu {

inline thread_local Probe *probe = nullptr;

CUDA_EMU_API void record_argument(const char *names, unsigned position, ArgKind kind,
                                  const char *type, std::size_t size, bool is_const,
                                  const void *value, std::size_t value_bytes);

// By value and out of line: a kernel's parameters then stay in registers on the path that counts.
template <class... Args>
__attribute__((noinline, cold)) void answer_probe(const char *kernel, const char *tag,
                                                  const char *pretty, const char *names,
                                                  Args... args) {
  Probe &p = *probe;
  p.answered = true;
  p.kernel = kernel;
  p.tag = tag;
  p.pretty = pretty;
  if (p.names_only) return;
  unsigned position = 0;
  (describe<record_argument>(names, position++, args), ...);
  (void)names;
}

}  // namespace cuda_emu

#define CUDA_EMU_KERNEL_ENTRY(...)                                                       \
  if (__builtin_expect(::cuda_emu::probe != nullptr, 0)) {                                       \
    struct cuda_emu_tag {};                                                                      \
    ::cuda_emu::answer_probe(__func__, typeid(cuda_emu_tag).name(), __PRETTY_FUNCTION__,         \
                             #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__);                           \
    return;                                                                                      \
  }
