// Floating-point functions that CUDA has and the C++ library lacks, and the fast intrinsics.
//
// A fast intrinsic (__expf ...) computes the accurate function: its error on a device is bounded, not
// specified, so the accurate value is the one to compare with.
#pragma once

#include <cmath>
#include <cstdint>

#include "half.h"
#include "vector_types.h"

static inline float rsqrtf(float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }
static inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline float rcbrtf(float x) { return static_cast<float>(1.0 / std::cbrt(static_cast<double>(x))); }
static inline double rcbrt(double x) { return 1.0 / std::cbrt(x); }
static inline float fdividef(float a, float b) { return a / b; }
// Large divisors give 0, as the programming guide says.
static inline float __fdividef(float a, float b) {
  float size = std::fabs(b);
  if (size > 8.507059173023462e37f && size <= 3.402823466e38f) return std::isinf(a) ? NAN : 0.0f;
  return a / b;
}
static inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
static inline float saturate(float x) { return __saturatef(x); }
static inline float __frsqrt_rn(float x) { return rsqrtf(x); }
static inline float norm3df(float a, float b, float c) {
  return static_cast<float>(std::sqrt(double{a} * a + double{b} * b + double{c} * c));
}
static inline double norm3d(double a, double b, double c) { return std::hypot(a, b, c); }
static inline float norm4df(float a, float b, float c, float d) {
  return static_cast<float>(std::sqrt(double{a} * a + double{b} * b + double{c} * c + double{d} * d));
}
static inline double norm4d(double a, double b, double c, double d) {
  return std::hypot(std::hypot(a, b), std::hypot(c, d));
}
static inline float rnorm3df(float a, float b, float c) {
  return static_cast<float>(1.0 / std::sqrt(double{a} * a + double{b} * b + double{c} * c));
}
static inline double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
static inline float rnorm4df(float a, float b, float c, float d) {
  return static_cast<float>(1.0 / std::sqrt(double{a} * a + double{b} * b + double{c} * c + double{d} * d));
}
static inline float rhypotf(float a, float b) {
  return static_cast<float>(1.0 / std::sqrt(double{a} * a + double{b} * b));
}
static inline double rhypot(double a, double b) { return 1.0 / std::hypot(a, b); }
static inline float normf(int n, const float *v) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += double{v[i]} * v[i];
  return static_cast<float>(std::sqrt(sum));
}
static inline double norm(int n, const double *v) {
  double length = 0;
  for (int i = 0; i < n; ++i) length = std::hypot(length, v[i]);
  return length;
}
static inline double rnorm(int n, const double *v) { return 1.0 / norm(n, v); }
static inline float rnormf(int n, const float *v) { return static_cast<float>(1.0 / static_cast<double>(normf(n, v))); }
static inline double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
static inline double normcdf(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }
static inline float normcdff(float x) { return static_cast<float>(normcdf(x)); }

namespace cuda_emu {
// A rational start (Giles' approximation for single precision), then Newton steps.
inline double inverse_erf(double value) {
  double y = std::fabs(value), x;
  if (!(y < 1.0)) return y == 1.0 ? std::copysign(INFINITY, value) : NAN;
  double w = -std::log((1.0 - y) * (1.0 + y));
  if (w < 5.0) {
    w -= 2.5;
    x = 2.81022636e-08;
    for (double c : {3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
                     -0.00417768164, 0.246640727, 1.50140941})
      x = c + x * w;
  } else {
    w = std::sqrt(w) - 3.0;
    x = -0.000200214257;
    for (double c : {0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
                     0.00943887047, 1.00167406, 2.83297682})
      x = c + x * w;
  }
  x *= y;
  for (int i = 0; i < 3; ++i) {
    double slope = 1.1283791670955126 * std::exp(-x * x);
    if (slope == 0.0) break;
    x -= ((1.0 - y) - std::erfc(x)) / slope;
  }
  return std::copysign(x, value);
}
}  // namespace cuda_emu
static inline double erfinv(double y) { return cuda_emu::inverse_erf(y); }
static inline float erfinvf(float y) { return static_cast<float>(cuda_emu::inverse_erf(y)); }
static inline double erfcinv(double y) { return -cuda_emu::inverse_erf(y - 1.0); }
static inline float erfcinvf(float y) { return static_cast<float>(erfcinv(y)); }
static inline double normcdfinv(double p) { return 1.41421356237309504880 * cuda_emu::inverse_erf(2.0 * p - 1.0); }
static inline float normcdfinvf(float p) { return static_cast<float>(normcdfinv(p)); }
static inline double erfcx(double x) {
  if (x < 25.0) return std::exp(x * x) * std::erfc(x);
  double s = 1.0 / (2.0 * x * x);  // asymptotic series
  return 0.56418958354775628695 / x * (1.0 - s * (1.0 - 3.0 * s * (1.0 - 5.0 * s)));
}
static inline float erfcxf(float x) { return static_cast<float>(erfcx(x)); }

#if !defined(__GLIBC_PREREQ) || !__GLIBC_PREREQ(2, 41)
// Argument reduced exactly before the multiplication by pi, so that whole and half turns are exact.
static inline double sinpi(double x) {
  double r = std::remainder(x, 2.0);
  if (r == 0.0 || r == 1.0 || r == -1.0) return std::copysign(0.0, x);
  if (std::fabs(r) > 0.5) r = std::copysign(1.0, r) - r;
  return std::sin(3.14159265358979323846 * r);
}
static inline double cospi(double x) {
  double r = std::fabs(std::remainder(x, 2.0));
  if (r == 0.5) return 0.0;
  return r < 0.25 ? std::cos(3.14159265358979323846 * r) : std::sin(3.14159265358979323846 * (0.5 - r));
}
static inline float sinpif(float x) { return static_cast<float>(sinpi(x)); }
static inline float cospif(float x) { return static_cast<float>(cospi(x)); }
#endif
static inline void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
static inline void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
static inline void sincos(float x, float *s, float *c) { *s = std::sin(x), *c = std::cos(x); }
static inline float exp10(float x) { return exp10f(x); }

static inline double cyl_bessel_i0(double x) {
  double term = 1.0, sum = 1.0;
  for (int k = 1; k < 500 && term > sum * 1e-17; ++k) sum += term *= x * x / (4.0 * k * k);
  return sum;
}
static inline double cyl_bessel_i1(double x) {
  double term = x / 2.0, sum = term;
  for (int k = 1; k < 500 && std::fabs(term) > std::fabs(sum) * 1e-17; ++k)
    sum += term *= x * x / (4.0 * k * (k + 1.0));
  return sum;
}
static inline float cyl_bessel_i0f(float x) { return static_cast<float>(cyl_bessel_i0(x)); }
static inline float cyl_bessel_i1f(float x) { return static_cast<float>(cyl_bessel_i1(x)); }

// glibc's headers declare these names with C linkage and its library does not define them.
#define CUDA_EMU_FAST(name, expression)                     \
  extern "C" inline float name(float x) noexcept { return expression; }
CUDA_EMU_FAST(__expf, std::exp(x))
CUDA_EMU_FAST(__exp2f, std::exp2(x))
CUDA_EMU_FAST(__exp10f, exp10f(x))
CUDA_EMU_FAST(__logf, std::log(x))
CUDA_EMU_FAST(__log2f, std::log2(x))
CUDA_EMU_FAST(__log10f, std::log10(x))
CUDA_EMU_FAST(__sinf, std::sin(x))
CUDA_EMU_FAST(__cosf, std::cos(x))
CUDA_EMU_FAST(__tanf, std::tan(x))
CUDA_EMU_FAST(__tanhf, std::tanh(x))
#undef CUDA_EMU_FAST
extern "C" inline float __powf(float x, float y) noexcept { return std::pow(x, y); }
extern "C" inline void __sincosf(float x, float *s, float *c) noexcept {
  *s = std::sin(x);
  *c = std::cos(x);
}

static inline int __float_as_int(float f) { return static_cast<int>(cuda_emu::float_bits(f)); }
static inline unsigned __float_as_uint(float f) { return cuda_emu::float_bits(f); }
static inline float __int_as_float(int i) { return cuda_emu::bits_float(static_cast<unsigned>(i)); }
static inline float __uint_as_float(unsigned u) { return cuda_emu::bits_float(u); }
static inline long long __double_as_longlong(double d) {
  long long v;
  std::memcpy(&v, &d, 8);
  return v;
}
static inline double __longlong_as_double(long long v) {
  double d;
  std::memcpy(&d, &v, 8);
  return d;
}
static inline int __double2hiint(double d) { return static_cast<int>(__double_as_longlong(d) >> 32); }
static inline int __double2loint(double d) { return static_cast<int>(__double_as_longlong(d)); }
static inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(
      static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32 | static_cast<std::uint32_t>(low)));
}
