// How a launch learns which kernel it runs: the kernel tells it.
//
// The rewriter puts CUDA_EMU_KERNEL_ENTRY(parameters) first in every kernel body. A launch that wants
// to know makes one call with `probe` set; the kernel then hands over its name, its mangled name and
// its parameters, in their declared types, and returns before it does anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "vector_types.h"

struct __half;
struct __nv_bfloat16;

namespace cuda_emu {

enum class ArgKind : std::uint8_t { scalar, pointer, structure };

struct Argument {
  std::string name;
  ArgKind kind = ArgKind::scalar;
  const char *type = "";       // scalar type, or type of the pointee ("struct", "pointer", "void")
  std::size_t size = 0;        // of the value; of the pointee for a pointer (0: unknown)
  bool is_const = false;       // pointer to const
  std::vector<unsigned char> bytes;
};

struct Probe {
  bool names_only = false;
  bool answered = false;
  const char *kernel = "";
  const char *tag = "";        // typeid of a type local to the kernel: holds the mangled name
  const char *pretty = "";
  std::vector<Argument> arguments;
};

inline thread_local Probe *probe = nullptr;

template <class T, class = void>
struct SizeOf { static constexpr std::size_t value = 0; };
template <class T>
struct SizeOf<T, std::void_t<decltype(sizeof(T))>> {
  static constexpr std::size_t value = std::is_void_v<T> || std::is_function_v<T> ? 0 : sizeof(T);
};

template <class T>
constexpr const char *type_code() {
  typedef std::remove_cv_t<T> U;
  if constexpr (std::is_same_v<U, bool>) return "bool";
  else if constexpr (std::is_same_v<U, float>) return "f32";
  else if constexpr (std::is_same_v<U, double>) return "f64";
  else if constexpr (std::is_same_v<U, __half>) return "f16";
  else if constexpr (std::is_same_v<U, __nv_bfloat16>) return "bf16";
  else if constexpr (std::is_void_v<U>) return "void";
  else if constexpr (std::is_pointer_v<U>) return "pointer";
  else if constexpr (std::is_enum_v<U>) return type_code<std::underlying_type_t<U>>();
  else if constexpr (std::is_integral_v<U>) {
    constexpr bool s = std::is_signed_v<U>;
    switch (sizeof(U)) {
      case 1: return s ? "i8" : "u8";
      case 2: return s ? "i16" : "u16";
      case 4: return s ? "i32" : "u32";
      case 8: return s ? "i64" : "u64";
      default: return s ? "i128" : "u128";
    }
  } else return "struct";
}

CUDA_EMU_API void record_argument(const char *names, unsigned position, ArgKind kind,
                                  const char *type, std::size_t size, bool is_const,
                                  const void *value, std::size_t value_bytes);

template <class T>
void describe(const char *names, unsigned position, const T &value) {
  if constexpr (std::is_pointer_v<T>) {
    typedef std::remove_pointer_t<T> Pointee;
    const volatile void *address = reinterpret_cast<const volatile void *>(value);
    record_argument(names, position, ArgKind::pointer, type_code<Pointee>(),
                    SizeOf<Pointee>::value, std::is_const_v<Pointee>, &address, sizeof(address));
  } else {
    constexpr const char *type = type_code<T>();
    constexpr bool structure = type[0] == 's';
    record_argument(names, position, structure ? ArgKind::structure : ArgKind::scalar, type,
                    sizeof(T), false, &value, sizeof(T));
  }
}

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
  (describe(names, position++, args), ...);
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
