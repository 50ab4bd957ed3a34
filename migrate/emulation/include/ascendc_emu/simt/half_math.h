// Functions on half, bfloat16 and pairs of them. Each operation is done in float and rounded once to nearest even.
#pragma once

#include "convert.h"

inline half __float2half(const float x) { return half(x); }
inline float __half2float(const half x) { return static_cast<float>(x); }
inline bfloat16_t __float2bfloat16(const float x) { return bfloat16_t(x); }
inline float __bfloat162float(const bfloat16_t x) { return static_cast<float>(x); }
inline bfloat16_t __half2bfloat16_rn(const half x) { return bfloat16_t(static_cast<float>(x)); }
inline half __ushort_as_half(const unsigned short x) { return half::raw(x); }
inline unsigned short __half_as_ushort(const half x) { return x.bits; }
inline short __half_as_short(const half x) { return static_cast<short>(x.bits); }
inline bfloat16_t __ushort_as_bfloat16(const unsigned short x) { return bfloat16_t::raw(x); }
inline unsigned short __bfloat16_as_ushort(const bfloat16_t x) { return x.bits; }

#define ASCENDC_EMU_SMALL(T, T2)                                                                                        \
    inline T __hadd(const T x, const T y) { return T(static_cast<float>(x) + static_cast<float>(y)); }                  \
    inline T __hsub(const T x, const T y) { return T(static_cast<float>(x) - static_cast<float>(y)); }                  \
    inline T __hmul(const T x, const T y) { return T(static_cast<float>(x) * static_cast<float>(y)); }                  \
    inline T __hdiv(const T x, const T y) { return T(static_cast<float>(x) / static_cast<float>(y)); }                  \
    inline T __hneg(const T x) { return -x; }                                                                           \
    inline T __habs(const T x) { return T::raw(x.bits & 0x7FFFu); }                                                     \
    inline T __hfma(const T x, const T y, const T z) { return T(static_cast<float>(static_cast<double>(static_cast<float>(x)) * static_cast<float>(y) + static_cast<double>(static_cast<float>(z)))); } \
    inline T __hfma_relu(const T x, const T y, const T z) { const T r = __hfma(x, y, z); return static_cast<float>(r) > 0 ? r : T(0); } \
    inline bool __hisnan(const T x) { return std::isnan(static_cast<float>(x)); }                                       \
    inline bool __hisinf(const T x) { return std::isinf(static_cast<float>(x)); }                                       \
    inline T __hmax(const T x, const T y) { return __hisnan(x) ? y : __hisnan(y) ? x : static_cast<float>(x) > static_cast<float>(y) ? x : y; } \
    inline T __hmin(const T x, const T y) { return __hisnan(x) ? y : __hisnan(y) ? x : static_cast<float>(x) < static_cast<float>(y) ? x : y; } \
    inline T __hmax_nan(const T x, const T y) { return __hisnan(x) ? x : __hisnan(y) ? y : __hmax(x, y); }              \
    inline T __hmin_nan(const T x, const T y) { return __hisnan(x) ? x : __hisnan(y) ? y : __hmin(x, y); }              \
    inline bool __heq(const T x, const T y) { return static_cast<float>(x) == static_cast<float>(y); }                  \
    inline bool __hne(const T x, const T y) { return static_cast<float>(x) < static_cast<float>(y) || static_cast<float>(x) > static_cast<float>(y); } \
    inline bool __hlt(const T x, const T y) { return static_cast<float>(x) < static_cast<float>(y); }                   \
    inline bool __hle(const T x, const T y) { return static_cast<float>(x) <= static_cast<float>(y); }                  \
    inline bool __hgt(const T x, const T y) { return static_cast<float>(x) > static_cast<float>(y); }                   \
    inline bool __hge(const T x, const T y) { return static_cast<float>(x) >= static_cast<float>(y); }                  \
    inline bool __hequ(const T x, const T y) { return !__hne(x, y); }                                                   \
    inline bool __hneu(const T x, const T y) { return !__heq(x, y); }                                                   \
    inline bool __hltu(const T x, const T y) { return !__hge(x, y); }                                                   \
    inline bool __hleu(const T x, const T y) { return !__hgt(x, y); }                                                   \
    inline bool __hgtu(const T x, const T y) { return !__hle(x, y); }                                                   \
    inline bool __hgeu(const T x, const T y) { return !__hlt(x, y); }                                                   \
    inline T2 __haddx2(const T2 x, const T2 y) { return {__hadd(x.x, y.x), __hadd(x.y, y.y)}; }                         \
    inline T2 __hsubx2(const T2 x, const T2 y) { return {__hsub(x.x, y.x), __hsub(x.y, y.y)}; }                         \
    inline T2 __hmulx2(const T2 x, const T2 y) { return {__hmul(x.x, y.x), __hmul(x.y, y.y)}; }                         \
    inline T2 __hdivx2(const T2 x, const T2 y) { return {__hdiv(x.x, y.x), __hdiv(x.y, y.y)}; }                         \
    inline T2 __hmaxx2(const T2 x, const T2 y) { return {__hmax(x.x, y.x), __hmax(x.y, y.y)}; }                         \
    inline T2 __hminx2(const T2 x, const T2 y) { return {__hmin(x.x, y.x), __hmin(x.y, y.y)}; }                         \
    inline T2 __habsx2(const T2 x) { return {__habs(x.x), __habs(x.y)}; }                                               \
    inline T2 __hnegx2(const T2 x) { return {__hneg(x.x), __hneg(x.y)}; }                                               \
    inline T2 __hfmax2(const T2 x, const T2 y, const T2 z) { return {__hfma(x.x, y.x, z.x), __hfma(x.y, y.y, z.y)}; }   \
    inline bool __hbeqx2(const T2 x, const T2 y) { return __heq(x.x, y.x) && __heq(x.y, y.y); }                         \
    inline bool __hbltx2(const T2 x, const T2 y) { return __hlt(x.x, y.x) && __hlt(x.y, y.y); }                         \
    inline bool __hbgtx2(const T2 x, const T2 y) { return __hgt(x.x, y.x) && __hgt(x.y, y.y); }                         \
    inline float __low2float(const T2 x) { return static_cast<float>(x.x); }                                            \
    inline float __high2float(const T2 x) { return static_cast<float>(x.y); }                                           \
    inline T2 __lowhigh2highlow(const T2 x) { return {x.y, x.x}; }
ASCENDC_EMU_SMALL(half, half2)
ASCENDC_EMU_SMALL(bfloat16_t, bfloat16x2_t)
#undef ASCENDC_EMU_SMALL

#define ASCENDC_EMU_PAIR_OP(T2)                                          \
    inline T2 operator+(const T2 a, const T2 b) { return __haddx2(a, b); } \
    inline T2 operator-(const T2 a, const T2 b) { return __hsubx2(a, b); } \
    inline T2 operator*(const T2 a, const T2 b) { return __hmulx2(a, b); } \
    inline T2 operator/(const T2 a, const T2 b) { return __hdivx2(a, b); }
ASCENDC_EMU_PAIR_OP(half2)
ASCENDC_EMU_PAIR_OP(bfloat16x2_t)
#undef ASCENDC_EMU_PAIR_OP

#define ASCENDC_EMU_SMALL_FN(name, ...)                                                                                 \
    inline half h##name(half a) { const float x = a; return half(__VA_ARGS__); }                                        \
    inline half2 h2##name(half2 a) { return {h##name(a.x), h##name(a.y)}; }                                             \
    inline bfloat16_t h##name(bfloat16_t a) { const float x = a; return bfloat16_t(__VA_ARGS__); }                      \
    inline bfloat16x2_t h2##name(bfloat16x2_t a) { return {h##name(a.x), h##name(a.y)}; }
ASCENDC_EMU_SMALL_FN(cos, std::cos(x))
ASCENDC_EMU_SMALL_FN(sin, std::sin(x))
ASCENDC_EMU_SMALL_FN(tanh, std::tanh(x))
ASCENDC_EMU_SMALL_FN(exp, std::exp(x))
ASCENDC_EMU_SMALL_FN(exp2, std::exp2(x))
ASCENDC_EMU_SMALL_FN(exp10, std::pow(10.0f, x))
ASCENDC_EMU_SMALL_FN(log, std::log(x))
ASCENDC_EMU_SMALL_FN(log2, std::log2(x))
ASCENDC_EMU_SMALL_FN(log10, std::log10(x))
ASCENDC_EMU_SMALL_FN(sqrt, std::sqrt(x))
ASCENDC_EMU_SMALL_FN(rsqrt, 1.0f / std::sqrt(x))
ASCENDC_EMU_SMALL_FN(rcp, 1.0f / x)
ASCENDC_EMU_SMALL_FN(floor, std::floor(x))
ASCENDC_EMU_SMALL_FN(rint, std::nearbyint(x))
ASCENDC_EMU_SMALL_FN(ceil, std::ceil(x))
ASCENDC_EMU_SMALL_FN(trunc, std::trunc(x))
#undef ASCENDC_EMU_SMALL_FN

inline half2 make_half2(half x, half y) { return {x, y}; }
inline half2 __halves2half2(const half x, const half y) { return {x, y}; }
inline half2 __floats2half2_rn(const float x, const float y) { return {half(x), half(y)}; }
inline half2 __float22half2_rn(const float2 x) { return {half(x.x), half(x.y)}; }
inline float2 __half22float2(const half2 x) { return {static_cast<float>(x.x), static_cast<float>(x.y)}; }
inline half __low2half(const half2 x) { return x.x; }
inline half __high2half(const half2 x) { return x.y; }
inline half2 __low2half2(const half2 x) { return {x.x, x.x}; }
inline half2 __high2half2(const half2 x) { return {x.y, x.y}; }
inline half2 __lows2half2(const half2 x, const half2 y) { return {x.x, y.x}; }
inline half2 __highs2half2(const half2 x, const half2 y) { return {x.y, y.y}; }
inline bfloat16x2_t make_bfloat162(bfloat16_t x, bfloat16_t y) { return {x, y}; }
inline bfloat16x2_t __halves2bfloat162(bfloat16_t x, bfloat16_t y) { return {x, y}; }
inline bfloat16x2_t __float2bfloat162_rn(float x) { return {bfloat16_t(x), bfloat16_t(x)}; }
inline bfloat16x2_t __floats2bfloat162_rn(float x, float y) { return {bfloat16_t(x), bfloat16_t(y)}; }
inline bfloat16x2_t __float22bfloat162_rn(float2 x) { return {bfloat16_t(x.x), bfloat16_t(x.y)}; }
inline float2 __bfloat1622float2(bfloat16x2_t x) { return {static_cast<float>(x.x), static_cast<float>(x.y)}; }
inline bfloat16x2_t __bfloat162bfloat162(bfloat16_t x) { return {x, x}; }
inline bfloat16_t __low2bfloat16(bfloat16x2_t x) { return x.x; }
inline bfloat16_t __high2bfloat16(bfloat16x2_t x) { return x.y; }
