// Arithmetic and conversions with a rounding mode in the name (_rn _rz _ru _rd).
//
// The nearest result is computed first; the exact error term says on which side the true value lies.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "half.h"

namespace cuda_emu {

// Moves a nearest-rounded value when the true value (value + error) asks for it.
template <class T>
T directed(T value, T error, Round mode) {
  if (!std::isfinite(value) || error == T(0)) return value;
  T inf = std::numeric_limits<T>::infinity();
  switch (mode) {
    case Round::nearest: return value;
    case Round::up: return error > 0 ? std::nextafter(value, inf) : value;
    case Round::down: return error < 0 ? std::nextafter(value, -inf) : value;
    case Round::zero:
      if (value > 0 && error < 0) return std::nextafter(value, T(0));
      if (value < 0 && error > 0) return std::nextafter(value, T(0));
      return value;
  }
  return value;
}
template <class T>
T rounded_add(T a, T b, Round mode) {
  T sum = a + b, back = sum - a;
  return directed<T>(sum, (a - (sum - back)) + (b - back), mode);
}
template <class T>
T rounded_multiply(T a, T b, Round mode) {
  T product = a * b;
  return directed<T>(product, std::fma(a, b, -product), mode);
}
template <class T>
T rounded_divide(T a, T b, Round mode) {
  T quotient = a / b, rest = std::fma(-quotient, b, a);
  return directed<T>(quotient, b < 0 ? -rest : rest, mode);
}
template <class T>
T rounded_sqrt(T a, Round mode) {
  T root = std::sqrt(a);
  return directed<T>(root, std::fma(-root, root, a), mode);
}
// The error of a fused multiply-add in two steps (Boldo and Muller).
template <class T>
T rounded_fma(T a, T b, T c, Round mode) {
  T result = std::fma(a, b, c);
  if (mode == Round::nearest || !std::isfinite(result)) return result;
  T high = a * b, low = std::fma(a, b, -high);
  T s1 = c + low, t1 = s1 - c, e1 = (c - (s1 - t1)) + (low - t1);
  T s2 = high + s1, t2 = s2 - high, e2 = (high - (s2 - t2)) + (s1 - t2);
  return directed<T>(result, ((s2 - result) + e2) + e1, mode);
}
template <class T>
T whole(T v, Round mode) {
  switch (mode) {
    case Round::nearest: return std::nearbyint(v);
    case Round::zero: return std::trunc(v);
    case Round::up: return std::ceil(v);
    case Round::down: return std::floor(v);
  }
  return v;
}
// Conversion to an integer as on a device: saturating, and NaN gives 0, or the top bit alone where
// either side has 64 bits (PTX ISA, cvt).
template <class I, class T>
I to_integer(T v, Round mode) {
  if (v != v) {
    typedef std::make_unsigned_t<I> U;
    bool wide = sizeof(I) == 8 || sizeof(T) == 8;
    return wide ? static_cast<I>(static_cast<U>(U(1) << (8 * sizeof(I) - 1))) : I(0);
  }
  v = whole(v, mode);
  if (v >= std::ldexp(T(1), std::numeric_limits<I>::digits)) return std::numeric_limits<I>::max();
  if (v <= static_cast<T>(std::numeric_limits<I>::min())) return std::numeric_limits<I>::min();
  return static_cast<I>(v);
}
inline float double_to_float(double d, Round mode) {
  float f = static_cast<float>(d);
  if (mode != Round::nearest && std::isinf(f) && !std::isinf(d)) {  // overflow towards the inside
    bool keep = mode == Round::up ? f > 0 : mode == Round::down ? f < 0 : false;
    return keep ? f : std::copysign(std::numeric_limits<float>::max(), f);
  }
  double error = d - static_cast<double>(f);
  if (error == 0.0 || !std::isfinite(f)) return f;
  return directed<float>(f, error > 0 ? 1.0f : -1.0f, mode);
}
template <class T, class I>
T from_integer(I v, Round mode) {
  T f = static_cast<T>(v);
  if (mode == Round::nearest) return f;
  __int128 difference = static_cast<__int128>(v) - static_cast<__int128>(f);
  return directed<T>(f, difference > 0 ? T(1) : difference < 0 ? T(-1) : T(0), mode);
}

}  // namespace cuda_emu

#define CUDA_EMU_MODES(X) X(rn, nearest) X(rz, zero) X(ru, up) X(rd, down)
#define CUDA_EMU_ROUNDED(suffix, mode)                                                             \
  static inline float __fadd_##suffix(float a, float b) { return cuda_emu::rounded_add(a, b, cuda_emu::Round::mode); } \
  static inline float __fsub_##suffix(float a, float b) { return cuda_emu::rounded_add(a, -b, cuda_emu::Round::mode); } \
  static inline float __fmul_##suffix(float a, float b) { return cuda_emu::rounded_multiply(a, b, cuda_emu::Round::mode); } \
  static inline float __fdiv_##suffix(float a, float b) { return cuda_emu::rounded_divide(a, b, cuda_emu::Round::mode); } \
  static inline float __frcp_##suffix(float a) { return cuda_emu::rounded_divide(1.0f, a, cuda_emu::Round::mode); } \
  static inline float __fsqrt_##suffix(float a) { return cuda_emu::rounded_sqrt(a, cuda_emu::Round::mode); } \
  static inline float __fmaf_##suffix(float a, float b, float c) { return cuda_emu::rounded_fma(a, b, c, cuda_emu::Round::mode); } \
  static inline double __dadd_##suffix(double a, double b) { return cuda_emu::rounded_add(a, b, cuda_emu::Round::mode); } \
  static inline double __dsub_##suffix(double a, double b) { return cuda_emu::rounded_add(a, -b, cuda_emu::Round::mode); } \
  static inline double __dmul_##suffix(double a, double b) { return cuda_emu::rounded_multiply(a, b, cuda_emu::Round::mode); } \
  static inline double __ddiv_##suffix(double a, double b) { return cuda_emu::rounded_divide(a, b, cuda_emu::Round::mode); } \
  static inline double __drcp_##suffix(double a) { return cuda_emu::rounded_divide(1.0, a, cuda_emu::Round::mode); } \
  static inline double __dsqrt_##suffix(double a) { return cuda_emu::rounded_sqrt(a, cuda_emu::Round::mode); } \
  static inline double __fma_##suffix(double a, double b, double c) { return cuda_emu::rounded_fma(a, b, c, cuda_emu::Round::mode); } \
  static inline int __float2int_##suffix(float f) { return cuda_emu::to_integer<int>(f, cuda_emu::Round::mode); } \
  static inline unsigned __float2uint_##suffix(float f) { return cuda_emu::to_integer<unsigned>(f, cuda_emu::Round::mode); } \
  static inline long long __float2ll_##suffix(float f) { return cuda_emu::to_integer<long long>(f, cuda_emu::Round::mode); } \
  static inline unsigned long long __float2ull_##suffix(float f) { return cuda_emu::to_integer<unsigned long long>(f, cuda_emu::Round::mode); } \
  static inline int __double2int_##suffix(double d) { return cuda_emu::to_integer<int>(d, cuda_emu::Round::mode); } \
  static inline unsigned __double2uint_##suffix(double d) { return cuda_emu::to_integer<unsigned>(d, cuda_emu::Round::mode); } \
  static inline long long __double2ll_##suffix(double d) { return cuda_emu::to_integer<long long>(d, cuda_emu::Round::mode); } \
  static inline unsigned long long __double2ull_##suffix(double d) { return cuda_emu::to_integer<unsigned long long>(d, cuda_emu::Round::mode); } \
  static inline float __double2float_##suffix(double d) { return cuda_emu::double_to_float(d, cuda_emu::Round::mode); } \
  static inline float __int2float_##suffix(int v) { return cuda_emu::from_integer<float>(v, cuda_emu::Round::mode); } \
  static inline float __uint2float_##suffix(unsigned v) { return cuda_emu::from_integer<float>(v, cuda_emu::Round::mode); } \
  static inline float __ll2float_##suffix(long long v) { return cuda_emu::from_integer<float>(v, cuda_emu::Round::mode); } \
  static inline float __ull2float_##suffix(unsigned long long v) { return cuda_emu::from_integer<float>(v, cuda_emu::Round::mode); } \
  static inline double __ll2double_##suffix(long long v) { return cuda_emu::from_integer<double>(v, cuda_emu::Round::mode); } \
  static inline double __ull2double_##suffix(unsigned long long v) { return cuda_emu::from_integer<double>(v, cuda_emu::Round::mode); }
CUDA_EMU_MODES(CUDA_EMU_ROUNDED)
#undef CUDA_EMU_ROUNDED
static inline double __int2double_rn(int v) { return v; }
static inline double __uint2double_rn(unsigned v) { return v; }
// The _ieee_ forms ignore -ftz=true, which is off here.
static inline float __fmaf_ieee_rn(float a, float b, float c) { return __fmaf_rn(a, b, c); }
static inline float __fmaf_ieee_rz(float a, float b, float c) { return __fmaf_rz(a, b, c); }
static inline float __fmaf_ieee_ru(float a, float b, float c) { return __fmaf_ru(a, b, c); }
static inline float __fmaf_ieee_rd(float a, float b, float c) { return __fmaf_rd(a, b, c); }
