// What is told of a kernel's arguments: their kinds, types and bytes. C++ alone, no runtime behind it:
// the tap for real devices (cuda_tap) uses it too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

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

typedef void (*RecordArgument)(const char *names, unsigned position, ArgKind kind, const char *type,
                               std::size_t size, bool is_const, const void *value,
                               std::size_t value_bytes);

template <RecordArgument record, class T>
void describe(const char *names, unsigned position, const T &value) {
  if constexpr (std::is_pointer_v<T>) {
    typedef std::remove_pointer_t<T> Pointee;
    const volatile void *address = reinterpret_cast<const volatile void *>(value);
    record(names, position, ArgKind::pointer, type_code<Pointee>(), SizeOf<Pointee>::value,
           std::is_const_v<Pointee>, &address, sizeof(address));
  } else {
    constexpr const char *type = type_code<T>();
    constexpr bool structure = type[0] == 's';
    record(names, position, structure ? ArgKind::structure : ArgKind::scalar, type, sizeof(T), false,
           &value, sizeof(T));
  }
}

// `names` is the entry hook's own argument text: "n, x, rest...". Past its end the last one is a pack.
inline void add_argument(Probe &probe, const char *names, unsigned position, ArgKind kind,
                         const char *type, std::size_t size, bool is_const, const void *value,
                         std::size_t value_bytes) {
  std::string text = names, name;
  unsigned at = 0;
  std::size_t start = 0;
  for (;;) {
    std::size_t comma = text.find(',', start);
    name = text.substr(start, comma == std::string::npos ? comma : comma - start);
    if (at == position || comma == std::string::npos) break;
    start = comma + 1;
    ++at;
  }
  while (!name.empty() && name.front() == ' ') name.erase(0, 1);
  std::size_t dots = name.find("...");
  if (dots != std::string::npos) name = name.substr(0, dots) + std::to_string(position - at);
  Argument a;
  a.name = name;
  a.kind = kind;
  a.type = type;
  a.size = size;
  a.is_const = is_const;
  const auto *bytes = static_cast<const unsigned char *>(value);
  a.bytes.assign(bytes, bytes + value_bytes);
  probe.arguments.push_back(a);
}

}  // namespace cuda_emu
