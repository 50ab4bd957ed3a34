// 8-bit floating point (E4M3 and E5M2), by value: conversions round to nearest even.
#pragma once

#include "cuda_runtime.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace cuda_emu {

// E4M3: 4 exponent bits, bias 7, no infinity, largest 448. E5M2: 5 bits, bias 15, largest 57344.
inline unsigned char to_fp8(double value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  const bool e4m3 = kind == __NV_E4M3;
  const int fraction_bits = e4m3 ? 3 : 2, smallest = e4m3 ? -9 : -16;  // exponent of the last place
  const double largest = e4m3 ? 448.0 : 57344.0;
  unsigned char sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return static_cast<unsigned char>(e4m3 ? 0x7F : 0x7E);
  double size = std::fabs(value);
  if (size != 0.0 && std::isfinite(size)) {
    int exponent = std::ilogb(size) - fraction_bits;
    double unit = std::ldexp(1.0, exponent < smallest ? smallest : exponent);
    size = std::nearbyint(size / unit) * unit;
  }
  if (size > largest) {
    if (saturate == __NV_SATFINITE) size = largest;
    else return static_cast<unsigned char>(sign | (e4m3 ? 0x7F : 0x7C));
  }
  if (size == 0.0) return sign;
  int exponent = std::ilogb(size), bias = e4m3 ? 7 : 15;
  int code;
  if (exponent < 1 - bias) {
    code = static_cast<int>(std::ldexp(size, -smallest));
  } else {
    int fraction = static_cast<int>(std::ldexp(size, fraction_bits - exponent)) - (1 << fraction_bits);
    code = ((exponent + bias) << fraction_bits) + fraction;
  }
  return static_cast<unsigned char>(sign | code);
}

inline float from_fp8(unsigned char code, __nv_fp8_interpretation_t kind) {
  const bool e4m3 = kind == __NV_E4M3;
  const int fraction_bits = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
  int magnitude = code & 0x7F, exponent = magnitude >> fraction_bits;
  int fraction = magnitude & ((1 << fraction_bits) - 1);
  float value;
  if (e4m3 && magnitude == 0x7F) value = NAN;
  else if (!e4m3 && exponent == 31) value = fraction ? NAN : INFINITY;
  else if (exponent == 0) value = static_cast<float>(std::ldexp(fraction, 1 - bias - fraction_bits));
  else value = static_cast<float>(std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits));
  return code & 0x80 ? -value : value;
}

}  // namespace cuda_emu

inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return cuda_emu::to_fp8(x, s, k);
}
inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return cuda_emu::to_fp8(x, s, k);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return cuda_emu::to_fp8(static_cast<float>(__half(x)), s, k);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return cuda_emu::to_fp8(static_cast<float>(__nv_bfloat16(x)), s, k);
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return static_cast<__nv_fp8x2_storage_t>(cuda_emu::to_fp8(x.x, s, k) | cuda_emu::to_fp8(x.y, s, k) << 8);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t k) {
  return __half(cuda_emu::from_fp8(x, k));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t k) {
  return __half2_raw{__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), k).x,
                     __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), k).x};
}

#define CUDA_EMU_FP8(name, kind)                                                                   \
  struct name {                                                                                    \
    __nv_fp8_storage_t __x;                                                                        \
    name() = default;                                                                              \
    explicit name(float f) : __x(cuda_emu::to_fp8(f, __NV_SATFINITE, kind)) {}                     \
    explicit name(double d) : __x(cuda_emu::to_fp8(d, __NV_SATFINITE, kind)) {}                    \
    explicit name(__half h) : name(static_cast<float>(h)) {}                                       \
    explicit name(__nv_bfloat16 h) : name(static_cast<float>(h)) {}                                \
    explicit name(int v) : name(static_cast<double>(v)) {}                                         \
    explicit operator float() const { return cuda_emu::from_fp8(__x, kind); }                      \
    explicit operator double() const { return cuda_emu::from_fp8(__x, kind); }                     \
    explicit operator __half() const { return __half(cuda_emu::from_fp8(__x, kind)); }             \
    explicit operator __nv_bfloat16() const { return __nv_bfloat16(cuda_emu::from_fp8(__x, kind)); } \
  };
CUDA_EMU_FP8(__nv_fp8_e4m3, __NV_E4M3)
CUDA_EMU_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef CUDA_EMU_FP8
