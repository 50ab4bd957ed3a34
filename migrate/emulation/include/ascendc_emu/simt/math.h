// Mathematical functions of SIMT device code: float only.
//
// asc_rewrite brings the names a kernel uses into its scope from this namespace, so that they hide those of the host's
// libm, and a call with a double does not compile.
#pragma once

#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "types.h"

namespace ascendc_emu {
namespace simt {
namespace dm {

template <class... A>
constexpr bool no_double = (!std::is_same_v<std::decay_t<A>, double> && ...) && (!std::is_same_v<std::decay_t<A>, long double> && ...);
template <class...>
constexpr bool never = false;

#define ASCENDC_EMU_FN1(name, ...)                                                                                      \
    template <class A>                                                                                                  \
    inline float name(A a)                                                                                              \
    {                                                                                                                   \
        static_assert(no_double<A>, "dtype-unsupported: the SIMT unit has no double; " #name " takes float");           \
        const float x = static_cast<float>(a);                                                                          \
        return __VA_ARGS__;                                                                                             \
    }
#define ASCENDC_EMU_FN2(name, ...)                                                                                      \
    template <class A, class B>                                                                                         \
    inline float name(A a, B b)                                                                                         \
    {                                                                                                                   \
        static_assert(no_double<A, B>, "dtype-unsupported: the SIMT unit has no double; " #name " takes float");        \
        const float x = static_cast<float>(a);                                                                          \
        const float y = static_cast<float>(b);                                                                          \
        return __VA_ARGS__;                                                                                             \
    }
/// A name that only exists for double: the SIMT API has it with the suffix f.
#define ASCENDC_EMU_ABSENT(name, instead)                                                                               \
    template <class... A>                                                                                               \
    inline float name(A...)                                                                                             \
    {                                                                                                                   \
        static_assert(never<A...>, "dtype-unsupported: the SIMT API has no " #name "; use " #instead);                  \
        return 0.0f;                                                                                                    \
    }

/// Inverse of the error function: a rational start value, then Newton steps in double.
inline double erfinv_double(double y)
{
    if (y <= -1.0 || y >= 1.0) return y == 1.0 ? INFINITY : y == -1.0 ? -INFINITY : NAN;
    const double w = -std::log((1 - y) * (1 + y));
    const double t = 2 / (M_PI * 0.147) - w / 2;
    double x = std::copysign(std::sqrt(std::sqrt(t * t + w / 0.147) - t), y);
    for (int i = 0; i < 4; ++i) x -= (std::erf(x) - y) / (2 / std::sqrt(M_PI) * std::exp(-x * x));
    return x;
}
inline double erfcinv_double(double y)
{
    if (y <= 0 || y >= 2) return y == 0 ? INFINITY : y == 2 ? -INFINITY : NAN;
    if (y > 0.1) return erfinv_double(1 - y);
    double x = std::sqrt(-std::log(y));
    for (int i = 0; i < 8; ++i) x += (std::erfc(x) - y) / (2 / std::sqrt(M_PI) * std::exp(-x * x));
    return x;
}

ASCENDC_EMU_FN1(truncf, std::trunc(x))
ASCENDC_EMU_FN1(roundf, std::round(x))
ASCENDC_EMU_FN1(rintf, std::nearbyint(x))
ASCENDC_EMU_FN1(nearbyintf, std::nearbyint(x))
ASCENDC_EMU_FN1(floorf, std::floor(x))
ASCENDC_EMU_FN1(ceilf, std::ceil(x))
ASCENDC_EMU_FN1(sqrtf, std::sqrt(x))
ASCENDC_EMU_FN1(rsqrtf, 1.0f / std::sqrt(x))
ASCENDC_EMU_FN1(log2f, std::log2(x))
ASCENDC_EMU_FN1(logf, std::log(x))
ASCENDC_EMU_FN1(log10f, std::log10(x))
ASCENDC_EMU_FN1(log1pf, std::log1p(x))
ASCENDC_EMU_FN1(logbf, std::logb(x))
ASCENDC_EMU_FN1(expf, std::exp(x))
ASCENDC_EMU_FN1(exp2f, std::exp2(x))
ASCENDC_EMU_FN1(exp10f, static_cast<float>(std::pow(10.0, static_cast<double>(x))))
ASCENDC_EMU_FN1(expm1f, std::expm1(x))
ASCENDC_EMU_FN1(fabsf, std::fabs(x))
ASCENDC_EMU_FN1(tanf, std::tan(x))
ASCENDC_EMU_FN1(tanhf, std::tanh(x))
ASCENDC_EMU_FN1(tanpif, static_cast<float>(std::tan(M_PI * static_cast<double>(x))))
ASCENDC_EMU_FN1(atanf, std::atan(x))
ASCENDC_EMU_FN1(atanhf, std::atanh(x))
ASCENDC_EMU_FN1(cosf, std::cos(x))
ASCENDC_EMU_FN1(coshf, std::cosh(x))
ASCENDC_EMU_FN1(cospif, static_cast<float>(std::cos(M_PI * std::remainder(static_cast<double>(x), 2.0))))
ASCENDC_EMU_FN1(asinf, std::asin(x))
ASCENDC_EMU_FN1(asinhf, std::asinh(x))
ASCENDC_EMU_FN1(acosf, std::acos(x))
ASCENDC_EMU_FN1(acoshf, std::acosh(x))
ASCENDC_EMU_FN1(sinf, std::sin(x))
ASCENDC_EMU_FN1(sinhf, std::sinh(x))
ASCENDC_EMU_FN1(sinpif, static_cast<float>(std::sin(M_PI * std::remainder(static_cast<double>(x), 2.0))))
ASCENDC_EMU_FN1(cbrtf, std::cbrt(x))
ASCENDC_EMU_FN1(rcbrtf, 1.0f / std::cbrt(x))
ASCENDC_EMU_FN1(erff, std::erf(x))
ASCENDC_EMU_FN1(erfcf, std::erfc(x))
ASCENDC_EMU_FN1(erfinvf, static_cast<float>(erfinv_double(x)))
ASCENDC_EMU_FN1(erfcinvf, static_cast<float>(erfcinv_double(x)))
ASCENDC_EMU_FN1(erfcxf, static_cast<float>(x < 25.0f ? std::exp(static_cast<double>(x) * x) * std::erfc(static_cast<double>(x)) : 1.0 / (x * std::sqrt(M_PI)) * (1 - 0.5 / (static_cast<double>(x) * x))))
ASCENDC_EMU_FN1(normcdff, static_cast<float>(0.5 * std::erfc(-static_cast<double>(x) * M_SQRT1_2)))
ASCENDC_EMU_FN1(normcdfinvf, static_cast<float>(-M_SQRT2 * erfcinv_double(2.0 * x)))
ASCENDC_EMU_FN1(tgammaf, std::tgamma(x))
ASCENDC_EMU_FN1(lgammaf, std::lgamma(x))
ASCENDC_EMU_FN1(j0f, static_cast<float>(::j0(x)))
ASCENDC_EMU_FN1(j1f, static_cast<float>(::j1(x)))
ASCENDC_EMU_FN1(y0f, static_cast<float>(::y0(x)))
ASCENDC_EMU_FN1(y1f, static_cast<float>(::y1(x)))
ASCENDC_EMU_FN1(cyl_bessel_i0f, static_cast<float>(std::cyl_bessel_i(0.0, std::fabs(static_cast<double>(x)))))
ASCENDC_EMU_FN1(cyl_bessel_i1f, static_cast<float>(std::copysign(std::cyl_bessel_i(1.0, std::fabs(static_cast<double>(x))), static_cast<double>(x))))
ASCENDC_EMU_FN2(atan2f, std::atan2(x, y))
ASCENDC_EMU_FN2(fmodf, std::fmod(x, y))
ASCENDC_EMU_FN2(remainderf, std::remainder(x, y))
ASCENDC_EMU_FN2(copysignf, std::copysign(x, y))
ASCENDC_EMU_FN2(nextafterf, std::nextafter(x, y))
ASCENDC_EMU_FN2(fdimf, std::fdim(x, y))
ASCENDC_EMU_FN2(fmaxf, std::fmax(x, y))
ASCENDC_EMU_FN2(fminf, std::fmin(x, y))
ASCENDC_EMU_FN2(hypotf, std::hypot(x, y))
ASCENDC_EMU_FN2(rhypotf, 1.0f / std::hypot(x, y))
ASCENDC_EMU_FN2(powf, std::pow(x, y))
ASCENDC_EMU_FN2(fdividef, x / y)
ASCENDC_EMU_FN2(__fdividef, x / y)
#undef ASCENDC_EMU_FN1
#undef ASCENDC_EMU_FN2

template <class A, class B, class C>
inline float fmaf(A a, B b, C c)
{
    static_assert(no_double<A, B, C>, "dtype-unsupported: the SIMT unit has no double; fmaf takes float");
    return std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}
inline long lroundf(float x) { return std::lround(x); }
inline long long llroundf(float x) { return std::llround(x); }
inline long lrintf(float x) { return std::lrint(x); }
inline long long llrintf(float x) { return std::llrint(x); }
inline int ilogbf(float x) { return std::ilogb(x); }
inline float scalbnf(float x, int32_t n) { return std::scalbn(x, n); }
inline float scalblnf(float x, int64_t n) { return std::scalbln(x, n); }
inline float ldexpf(float x, int n) { return std::ldexp(x, n); }
inline float frexpf(float x, int* n) { return std::frexp(x, n); }
inline float modff(float x, float* n) { return std::modf(x, n); }
inline float remquof(float x, float y, int* quo) { return std::remquo(x, y, quo); }
inline void sincosf(float x, float* s, float* c)
{
    *s = std::sin(x);
    *c = std::cos(x);
}
inline void sincospif(float x, float* s, float* c)
{
    *s = sinpif(x);
    *c = cospif(x);
}
inline float norm3df(float a, float b, float c) { return std::sqrt(a * a + b * b + c * c); }
inline float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
inline float norm4df(float a, float b, float c, float d) { return std::sqrt(a * a + b * b + c * c + d * d); }
inline float rnorm4df(float a, float b, float c, float d) { return 1.0f / norm4df(a, b, c, d); }
inline float normf(int n, const float* a)
{
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * a[i];
    return std::sqrt(sum);
}
inline float rnormf(int n, const float* a) { return 1.0f / normf(n, a); }
inline float jnf(int n, float x) { return static_cast<float>(::jn(n, x)); }
inline float ynf(int n, float x) { return static_cast<float>(::yn(n, x)); }
inline float __saturatef(float x) { return x != x ? 0.0f : std::fmin(std::fmax(x, 0.0f), 1.0f); }

// min and max exist for integers; for float the API has fminf and fmaxf.
template <class A, class B>
inline auto max(A a, B b)
{
    static_assert(std::is_integral_v<A> && std::is_integral_v<B>, "dtype-unsupported: the SIMT API's max takes integers; use fmaxf");
    using T = std::common_type_t<A, B>;
    return static_cast<T>(a) > static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b);
}
template <class A, class B>
inline auto min(A a, B b)
{
    static_assert(std::is_integral_v<A> && std::is_integral_v<B>, "dtype-unsupported: the SIMT API's min takes integers; use fminf");
    using T = std::common_type_t<A, B>;
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b);
}
inline unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
inline long long llmax(long long a, long long b) { return a > b ? a : b; }
inline long long llmin(long long a, long long b) { return a < b ? a : b; }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }

ASCENDC_EMU_ABSENT(fabs, fabsf)
ASCENDC_EMU_ABSENT(exp, expf)
ASCENDC_EMU_ABSENT(exp2, exp2f)
ASCENDC_EMU_ABSENT(expm1, expm1f)
ASCENDC_EMU_ABSENT(log, logf)
ASCENDC_EMU_ABSENT(log2, log2f)
ASCENDC_EMU_ABSENT(log10, log10f)
ASCENDC_EMU_ABSENT(log1p, log1pf)
ASCENDC_EMU_ABSENT(pow, powf)
ASCENDC_EMU_ABSENT(sqrt, sqrtf)
ASCENDC_EMU_ABSENT(rsqrt, rsqrtf)
ASCENDC_EMU_ABSENT(cbrt, cbrtf)
ASCENDC_EMU_ABSENT(sin, sinf)
ASCENDC_EMU_ABSENT(cos, cosf)
ASCENDC_EMU_ABSENT(tan, tanf)
ASCENDC_EMU_ABSENT(asin, asinf)
ASCENDC_EMU_ABSENT(acos, acosf)
ASCENDC_EMU_ABSENT(atan, atanf)
ASCENDC_EMU_ABSENT(atan2, atan2f)
ASCENDC_EMU_ABSENT(sinh, sinhf)
ASCENDC_EMU_ABSENT(cosh, coshf)
ASCENDC_EMU_ABSENT(tanh, tanhf)
ASCENDC_EMU_ABSENT(erf, erff)
ASCENDC_EMU_ABSENT(erfc, erfcf)
ASCENDC_EMU_ABSENT(floor, floorf)
ASCENDC_EMU_ABSENT(ceil, ceilf)
ASCENDC_EMU_ABSENT(round, roundf)
ASCENDC_EMU_ABSENT(trunc, truncf)
ASCENDC_EMU_ABSENT(rint, rintf)
ASCENDC_EMU_ABSENT(fmod, fmodf)
ASCENDC_EMU_ABSENT(fmax, fmaxf)
ASCENDC_EMU_ABSENT(fmin, fminf)
ASCENDC_EMU_ABSENT(fma, fmaf)
ASCENDC_EMU_ABSENT(hypot, hypotf)
ASCENDC_EMU_ABSENT(tgamma, tgammaf)
ASCENDC_EMU_ABSENT(lgamma, lgammaf)
#undef ASCENDC_EMU_ABSENT

} // namespace dm
} // namespace simt
} // namespace ascendc_emu

// Names that the host's libm does not have; device code in headers finds them here.
using ascendc_emu::simt::dm::__fdividef;
using ascendc_emu::simt::dm::__saturatef;
using ascendc_emu::simt::dm::cospif;
using ascendc_emu::simt::dm::cyl_bessel_i0f;
using ascendc_emu::simt::dm::cyl_bessel_i1f;
using ascendc_emu::simt::dm::erfcinvf;
using ascendc_emu::simt::dm::erfcxf;
using ascendc_emu::simt::dm::erfinvf;
using ascendc_emu::simt::dm::fdividef;
using ascendc_emu::simt::dm::llmax;
using ascendc_emu::simt::dm::llmin;
using ascendc_emu::simt::dm::norm3df;
using ascendc_emu::simt::dm::norm4df;
using ascendc_emu::simt::dm::normcdff;
using ascendc_emu::simt::dm::normcdfinvf;
using ascendc_emu::simt::dm::normf;
using ascendc_emu::simt::dm::rcbrtf;
using ascendc_emu::simt::dm::rhypotf;
using ascendc_emu::simt::dm::rnorm3df;
using ascendc_emu::simt::dm::rnorm4df;
using ascendc_emu::simt::dm::rnormf;
using ascendc_emu::simt::dm::rsqrtf;
using ascendc_emu::simt::dm::sincospif;
using ascendc_emu::simt::dm::sinpif;
using ascendc_emu::simt::dm::tanpif;
using ascendc_emu::simt::dm::ullmax;
using ascendc_emu::simt::dm::ullmin;
using ascendc_emu::simt::dm::umax;
using ascendc_emu::simt::dm::umin;
// The API's isfinite, isinf and isnan; <math.h> brings the same names, which is no conflict.
using std::isfinite;
using std::isinf;
using std::isnan;
