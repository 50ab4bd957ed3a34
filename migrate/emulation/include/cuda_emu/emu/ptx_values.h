// PTX registers: 64 raw bits each. An instruction's type says how to read and write them.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "bfloat16.h"
#include "half.h"
#include "low_precision_integers.h"
#include "rounding.h"

namespace cuda_emu {
namespace ptx {

typedef std::uint64_t Bits;

template <class T>
T get(Bits bits) {
  if constexpr (std::is_same_v<T, bool>) return bits != 0;
  else {
    T value;
    std::memcpy(static_cast<void *>(&value), &bits, sizeof(T));
    return value;
  }
}

// Signed values fill the register with their sign: a wider reader sees the extended value.
template <class T>
Bits put(T value) {
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    return static_cast<Bits>(static_cast<std::int64_t>(value));
  else {
    Bits bits = 0;
    std::memcpy(&bits, static_cast<const void *>(&value), sizeof(T));
    return bits;
  }
}

// The bits of an asm operand. The constraint gives the type: h, r, l, f, d.
template <char Constraint, class T>
Bits operand(const T &value) {
  if constexpr (Constraint == 'f') return put<float>(static_cast<float>(value));
  else if constexpr (Constraint == 'd') return put<double>(static_cast<double>(value));
  else if constexpr (std::is_pointer_v<T>) return reinterpret_cast<Bits>(value);
  else if constexpr (std::is_array_v<T>) return reinterpret_cast<Bits>(&value[0]);
  else if constexpr (std::is_null_pointer_v<T>) return 0;
  else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) return static_cast<Bits>(value);
  else {
    static_assert(sizeof(T) <= 8, "an asm operand of more than 64 bits");
    return put<T>(value);
  }
}
template <class T>
void assign(T &to, Bits bits) {
  std::memcpy(const_cast<void *>(static_cast<const volatile void *>(&to)), &bits, sizeof(T));
}

struct Mode {
  Round round = Round::nearest;
  bool flush = false;     // .ftz: subnormal inputs and results are zeros
  bool saturate = false;  // .sat: results are clamped to [0, 1], NaN to 0
};

template <class T> struct IsPair : std::false_type {};
template <> struct IsPair<__half2> : std::true_type { typedef __half single; };
template <> struct IsPair<__nv_bfloat162> : std::true_type { typedef __nv_bfloat16 single; };
template <class T>
inline constexpr bool is_low = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;
template <class T>
inline constexpr bool is_real = std::is_floating_point_v<T> || is_low<T>;

template <class T>
T flushed(T v, const Mode &mode) {
  if constexpr (std::is_same_v<T, float>)
    if (mode.flush && std::fabs(v) < 0x1p-126f) return std::copysign(0.0f, v);
  return v;
}
template <class T>
Bits result(T v, const Mode &mode) {
  v = flushed(v, mode);
  if constexpr (is_real<T>)
    if (mode.saturate) {
      float f = static_cast<float>(v);
      if (!(f > 0.0f)) v = T(0.0f);
      else if (f > 1.0f) v = T(1.0f);
    }
  return put<T>(v);
}

// Applies an operation to a value, or to both halves of a pair.
template <class T, class Operation, class... Rest>
Bits by_parts(Operation operation, const Mode &mode, Rest... raw) {
  if constexpr (IsPair<T>::value) {
    typedef typename IsPair<T>::single S;
    Bits low = result<S>(operation(get<T>(raw).x...), mode);
    Bits high = result<S>(operation(get<T>(raw).y...), mode);
    return low | high << 16;
  } else {
    return result<T>(operation(flushed(get<T>(raw), mode)...), mode);
  }
}

}  // namespace ptx
}  // namespace cuda_emu
