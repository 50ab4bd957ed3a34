// IEEE half precision in software: conversions round to nearest even, arithmetic is that of float
// rounded once more, which is exact for + - * / and sqrt (24 >= 2 * 11 + 2 bits).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "vector_types.h"

namespace cuda_emu {

inline std::uint32_t float_bits(float f) {
  std::uint32_t u;
  std::memcpy(&u, &f, 4);
  return u;
}
inline float bits_float(std::uint32_t u) {
  float f;
  std::memcpy(&f, &u, 4);
  return f;
}

enum class Round : std::uint8_t { nearest, zero, up, down };

// Rounds a float to 16 bits with the given number of fraction bits and smallest exponent. `sticky`
// says that the true value is a little larger in magnitude than f.
inline std::uint16_t float_to_half_bits(float f, Round mode = Round::nearest, bool sticky = false) {
  std::uint32_t u = float_bits(f), sign = u >> 16 & 0x8000u, magnitude = u & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return 0x7FFFu;
  if (magnitude == 0x7F800000u) return static_cast<std::uint16_t>(sign | 0x7C00u);
  bool away = mode == Round::up ? !sign : mode == Round::down ? sign != 0 : false;
  std::uint32_t value, rest, half;  // rest of `half * 2` units below the last bit
  int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (exponent >= 16) {
    bool overflow = mode == Round::nearest || away;
    return static_cast<std::uint16_t>(sign | (overflow ? 0x7C00u : 0x7BFFu));
  }
  if (exponent >= -14) {
    value = ((magnitude >> 13) - (112u << 10));
    rest = magnitude & 0x1FFFu;
    half = 0x1000u;
  } else {
    int shift = -14 - exponent + 13;  // of the 24-bit significand
    std::uint32_t significand = (magnitude & 0x7FFFFFu) | (magnitude >> 23 ? 0x800000u : 0u);
    if (shift > 25) {
      value = 0;
      rest = magnitude ? 1u : 0u;
      half = 0x1000000u;
    } else {
      value = significand >> shift;
      rest = significand & ((1u << shift) - 1u);
      half = 1u << (shift - 1);
    }
  }
  bool inexact = rest || sticky;
  if (mode == Round::nearest) {
    if (rest > half || (rest == half && (sticky || (value & 1u)))) ++value;
  } else if (away && inexact) {
    ++value;
  }
  return static_cast<std::uint16_t>(sign | value);
}

// To the nearest half, ties to even. In the subnormal range the addition of 2^28 leaves a unit of
// 2^-24 in the last place, so that the processor itself rounds.
inline std::uint16_t double_to_half_bits(double d) {
  std::uint64_t u;
  std::memcpy(&u, &d, 8);
  auto sign = static_cast<std::uint16_t>(u >> 48 & 0x8000u);
  u &= 0x7FFFFFFFFFFFFFFFull;
  if (u < 0x3F10000000000000ull) {  // below 2^-14
    double magnitude;
    std::memcpy(&magnitude, &u, 8);
    magnitude += 268435456.0;
    std::memcpy(&u, &magnitude, 8);
    return static_cast<std::uint16_t>(sign | (u & 0xFFFFu));
  }
  if (u > 0x7FF0000000000000ull) return 0x7FFFu;
  std::uint64_t rounded = (u + 0x1FFFFFFFFFFull + (u >> 42 & 1)) >> 42;
  constexpr std::uint64_t bias = 1008ull << 10;
  rounded = rounded > bias + 0x7C00u ? 0x7C00u : rounded - bias;
  return static_cast<std::uint16_t>(sign | rounded);
}

inline float half_bits_to_float(std::uint16_t h) {
  std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
  std::uint32_t magnitude = static_cast<std::uint32_t>(h & 0x7FFFu) << 13;
  if (magnitude >= 0x0F800000u) return bits_float(sign | magnitude | 0x7F800000u);
  return bits_float(sign | float_bits(bits_float(magnitude) * 0x1p112f));
}

// A double as a float rounded to odd: rounding that once more gives the correctly rounded result.
inline float round_to_odd(double d) {
  float f = static_cast<float>(d);
  if (static_cast<double>(f) == d || !(f == f)) return f;
  std::uint32_t u = float_bits(f);
  if ((u & 0x7FFFFFFFu) == 0x7F800000u) return std::isinf(d) ? f : bits_float(u - 1u);
  if (std::fabs(static_cast<double>(f)) > std::fabs(d)) u -= 1u;  // now truncated
  return bits_float(u | 1u);
}

// a * b + c in double, with the part that double cannot hold folded into its last bit.
inline double fused_to_odd(float a, float b, float c) {
  double product = static_cast<double>(a) * b, addend = c;  // the product is exact
  double sum = product + addend;
  if (!std::isfinite(sum)) return sum;
  double back = sum - product;
  double error = (product - (sum - back)) + (addend - back);
  if (error != 0.0) {
    std::uint64_t u;
    std::memcpy(&u, &sum, 8);
    bool away = (error > 0.0) != (sum > 0.0);  // the sum's magnitude is too large
    if (away) u -= 1u;
    u |= 1u;
    std::memcpy(&sum, &u, 8);
  }
  return sum;
}

}  // namespace cuda_emu

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };

struct __attribute__((aligned(2))) __half {
 protected:
  unsigned short __x;

 public:
  __half() = default;
  constexpr __half(const __half_raw &raw) : __x(raw.x) {}
  __half(float f) : __x(cuda_emu::double_to_half_bits(f)) {}
  __half(double d) : __x(cuda_emu::double_to_half_bits(d)) {}
  __half(int v) : __half(static_cast<double>(v)) {}
  __half(unsigned v) : __half(static_cast<double>(v)) {}
  __half(short v) : __half(static_cast<float>(v)) {}
  __half(unsigned short v) : __half(static_cast<float>(v)) {}
  __half(long v) : __half(static_cast<double>(v)) {}
  __half(unsigned long v) : __half(static_cast<double>(v)) {}
  __half(long long v) : __half(static_cast<double>(v)) {}
  __half(unsigned long long v) : __half(static_cast<double>(v)) {}

  operator float() const { return cuda_emu::half_bits_to_float(__x); }
  operator __half_raw() const { return __half_raw{__x}; }
  explicit operator double() const { return static_cast<float>(*this); }
  explicit operator bool() const { return (__x & 0x7FFFu) != 0; }
  // Conversions to integers saturate (low_precision_integers.h).
#define CUDA_EMU_TO(T) explicit operator T() const;
  CUDA_EMU_TO(char) CUDA_EMU_TO(signed char) CUDA_EMU_TO(unsigned char) CUDA_EMU_TO(short)
  CUDA_EMU_TO(unsigned short) CUDA_EMU_TO(int) CUDA_EMU_TO(unsigned) CUDA_EMU_TO(long)
  CUDA_EMU_TO(unsigned long) CUDA_EMU_TO(long long) CUDA_EMU_TO(unsigned long long)
#undef CUDA_EMU_TO
};
typedef __half half;
typedef __half nv_half;
typedef __half __nv_half;

struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __half2(const __half &a, const __half &b) : x(a), y(b) {}
  __half2(const __half2_raw &raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
};
typedef __half2 half2;
typedef __half2 nv_half2;
typedef __half2 __nv_half2;

inline float __half2float(__half h) { return static_cast<float>(h); }
inline __half __float2half(float f) { return __half(f); }
inline __half __float2half_rn(float f) { return __half(f); }
inline __half __double2half(double d) { return __half(d); }
inline __half __float2half_rz(float f) {
  return __half_raw{cuda_emu::float_to_half_bits(f, cuda_emu::Round::zero)};
}
inline __half __float2half_ru(float f) {
  return __half_raw{cuda_emu::float_to_half_bits(f, cuda_emu::Round::up)};
}
inline __half __float2half_rd(float f) {
  return __half_raw{cuda_emu::float_to_half_bits(f, cuda_emu::Round::down)};
}
inline unsigned short __half_as_ushort(__half h) { return static_cast<__half_raw>(h).x; }
inline short __half_as_short(__half h) { return static_cast<short>(__half_as_ushort(h)); }
inline __half __ushort_as_half(unsigned short u) { return __half_raw{u}; }
inline __half __short_as_half(short s) { return __half_raw{static_cast<unsigned short>(s)}; }

#define CUDA_EMU_LOWP __half
#define CUDA_EMU_LOWP2 __half2
#define CUDA_EMU_LOWP_FMA(a, b, c) \
  __half(cuda_emu::fused_to_odd(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)))
#include "low_precision.h"
#undef CUDA_EMU_LOWP
#undef CUDA_EMU_LOWP2
#undef CUDA_EMU_LOWP_FMA

inline __half2 __float2half2_rn(float f) { return __half2(__half(f), __half(f)); }
inline __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
inline __half2 __float22half2_rn(float2 f) { return __floats2half2_rn(f.x, f.y); }
inline float2 __half22float2(__half2 h) { return float2{static_cast<float>(h.x), static_cast<float>(h.y)}; }
inline __half2 __half2half2(__half h) { return __half2(h, h); }
inline __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
inline __half2 make_half2(__half a, __half b) { return __half2(a, b); }
inline __half __low2half(__half2 h) { return h.x; }
inline __half __high2half(__half2 h) { return h.y; }
inline float __low2float(__half2 h) { return static_cast<float>(h.x); }
inline float __high2float(__half2 h) { return static_cast<float>(h.y); }
inline __half2 __low2half2(__half2 h) { return __half2(h.x, h.x); }
inline __half2 __high2half2(__half2 h) { return __half2(h.y, h.y); }
inline __half2 __lowhigh2highlow(__half2 h) { return __half2(h.y, h.x); }
inline __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
inline __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
