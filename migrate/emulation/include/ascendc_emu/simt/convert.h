// Conversions, bit and integer functions, and cached loads and stores of SIMT device code.
#pragma once

#include <cmath>
#include <ctime>
#include <limits>

#include "math.h"

namespace ascendc_emu {
namespace simt {

/// Nearest integral value: half to even, towards zero, down, up, half away from zero.
inline double rounded(double v, Round mode)
{
    switch (mode) {
        case Round::Zero: return std::trunc(v);
        case Round::Floor: return std::floor(v);
        case Round::Ceil: return std::ceil(v);
        case Round::Away: return std::round(v);
        default: return std::nearbyint(v);
    }
}
/// Out-of-range values go to the end of the range, NaN to 0.
template <class D>
D to_integer(float f, Round mode)
{
    const double v = rounded(static_cast<double>(f), mode);
    if (v != v) return D(0);
    if (v <= static_cast<double>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
    if (v >= static_cast<double>(std::numeric_limits<D>::max())) return std::numeric_limits<D>::max();
    return static_cast<D>(v);
}
/// Integer to float; the 24 bits of a float are filled as the mode says.
template <class S>
float to_float(S v, Round mode)
{
    const float nearest = static_cast<float>(v);
    const __int128 back = static_cast<__int128>(nearest);
    const __int128 exact = v;
    if (back == exact || mode == Round::Nearest) return nearest;
    const float down = back > exact ? std::nextafter(nearest, -INFINITY) : nearest;
    const float up = back < exact ? std::nextafter(nearest, INFINITY) : nearest;
    if (mode == Round::Floor) return down;
    if (mode == Round::Ceil) return up;
    if (mode == Round::Zero) return exact < 0 ? up : down;
    const __int128 low = exact - static_cast<__int128>(down);
    const __int128 high = static_cast<__int128>(up) - exact;
    if (low != high) return low < high ? down : up;
    return exact < 0 ? down : up;
}
inline float clamp_half(float f) { return f > 65504.0f ? 65504.0f : f < -65504.0f ? -65504.0f : f; }

} // namespace simt
} // namespace ascendc_emu

#define ASCENDC_EMU_MODE(suffix, mode)                                                                                               \
    inline float __float2float##suffix(const float x) { return static_cast<float>(ascendc_emu::simt::rounded(x, mode)); }            \
    inline int __float2int##suffix(const float x) { return ascendc_emu::simt::to_integer<int>(x, mode); }                            \
    inline unsigned int __float2uint##suffix(const float x) { return ascendc_emu::simt::to_integer<unsigned int>(x, mode); }         \
    inline long long __float2ll##suffix(const float x) { return ascendc_emu::simt::to_integer<long long>(x, mode); }                 \
    inline unsigned long long __float2ull##suffix(const float x) { return ascendc_emu::simt::to_integer<unsigned long long>(x, mode); } \
    inline float __int2float##suffix(const int x) { return ascendc_emu::simt::to_float(x, mode); }                                   \
    inline float __uint2float##suffix(const unsigned int x) { return ascendc_emu::simt::to_float(x, mode); }                         \
    inline float __ll2float##suffix(const long long x) { return ascendc_emu::simt::to_float(x, mode); }                              \
    inline float __ull2float##suffix(const unsigned long long x) { return ascendc_emu::simt::to_float(x, mode); }                    \
    inline half __float2half##suffix(const float x) { return half::raw(ascendc_emu::float_to_half_bits(x, mode)); }                  \
    inline half __float2half##suffix##_sat(const float x) { return __float2half##suffix(ascendc_emu::simt::clamp_half(x)); }         \
    inline bfloat16_t __float2bfloat16##suffix(const float x) { return bfloat16_t::raw(ascendc_emu::float_to_bf16_bits(x, mode)); }  \
    inline int __half2int##suffix(const half x) { return ascendc_emu::simt::to_integer<int>(x, mode); }                              \
    inline unsigned int __half2uint##suffix(const half x) { return ascendc_emu::simt::to_integer<unsigned int>(x, mode); }           \
    inline long long __half2ll##suffix(const half x) { return ascendc_emu::simt::to_integer<long long>(x, mode); }                   \
    inline unsigned long long __half2ull##suffix(const half x) { return ascendc_emu::simt::to_integer<unsigned long long>(x, mode); } \
    inline half __half2half##suffix(const half x) { return half(static_cast<float>(ascendc_emu::simt::rounded(static_cast<float>(x), mode))); } \
    inline half __int2half##suffix(const int x) { return __float2half##suffix(ascendc_emu::simt::to_float(x, ascendc_emu::Round::Zero)); }   \
    inline half __uint2half##suffix(const unsigned int x) { return __float2half##suffix(ascendc_emu::simt::to_float(x, ascendc_emu::Round::Zero)); } \
    inline half __ll2half##suffix(const long long x) { return __float2half##suffix(ascendc_emu::simt::to_float(x, ascendc_emu::Round::Zero)); }  \
    inline half __ull2half##suffix(const unsigned long long x) { return __float2half##suffix(ascendc_emu::simt::to_float(x, ascendc_emu::Round::Zero)); }
ASCENDC_EMU_MODE(_rn, ascendc_emu::Round::Nearest)
ASCENDC_EMU_MODE(_rz, ascendc_emu::Round::Zero)
ASCENDC_EMU_MODE(_rd, ascendc_emu::Round::Floor)
ASCENDC_EMU_MODE(_ru, ascendc_emu::Round::Ceil)
ASCENDC_EMU_MODE(_rna, ascendc_emu::Round::Away)
#undef ASCENDC_EMU_MODE

inline float __int_as_float(const int x) { return ascendc_emu::bits_float(static_cast<uint32_t>(x)); }
inline float __uint_as_float(const unsigned int x) { return ascendc_emu::bits_float(x); }
inline int __float_as_int(const float x) { return static_cast<int>(ascendc_emu::float_bits(x)); }
inline unsigned int __float_as_uint(const float x) { return ascendc_emu::float_bits(x); }

inline int __mulhi(int x, int y) { return static_cast<int>(static_cast<int64_t>(x) * y >> 32); }
inline unsigned int __umulhi(unsigned int x, unsigned int y) { return static_cast<unsigned int>(static_cast<uint64_t>(x) * y >> 32); }
inline long long __mul64hi(long long x, long long y) { return static_cast<long long>(static_cast<__int128>(x) * y >> 64); }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) { return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64); }
inline long long __mul_i32toi64(int x, int y) { return static_cast<long long>(x) * y; }
inline unsigned long long __mul_i32toi64(unsigned int x, unsigned int y) { return static_cast<unsigned long long>(x) * y; }
inline unsigned long long __brev(unsigned long long x)
{
    unsigned long long r = 0;
    for (int i = 0; i < 64; ++i) r |= (x >> i & 1) << (63 - i);
    return r;
}
inline unsigned long __brev(unsigned long x) { return __brev(static_cast<unsigned long long>(x)); }
inline unsigned int __brev(unsigned int x) { return static_cast<unsigned int>(__brev(static_cast<unsigned long long>(x)) >> 32); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clz(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline int __clz(long x) { return __clz(static_cast<long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffs(long long x) { return __builtin_ffsll(x); }
inline int __ffs(long x) { return __builtin_ffsll(x); }
inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __popc(unsigned long long x) { return __builtin_popcountll(x); }
inline int __popc(unsigned long x) { return __builtin_popcountll(x); }
inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s)
{
    const uint64_t bytes = static_cast<uint64_t>(y) << 32 | x;
    unsigned int r = 0;
    for (int i = 0; i < 4; ++i) r |= static_cast<unsigned int>(bytes >> (8 * (s >> (4 * i) & 7)) & 0xFF) << (8 * i);
    return r;
}
inline unsigned int __sad(int x, int y, unsigned int z) { return z + (x > y ? static_cast<unsigned>(x) - static_cast<unsigned>(y) : static_cast<unsigned>(y) - static_cast<unsigned>(x)); }
inline unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) { return z + (x > y ? x - y : y - x); }
inline int __mul24(int x, int y) { return static_cast<int>(static_cast<int64_t>(x << 8 >> 8) * (y << 8 >> 8)); }
inline unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xFFFFFFu) * (y & 0xFFFFFFu); }
inline int __hadd(int x, int y) { return static_cast<int>((static_cast<int64_t>(x) + y) >> 1); }
inline int __rhadd(int x, int y) { return static_cast<int>((static_cast<int64_t>(x) + y + 1) >> 1); }
inline unsigned int __uhadd(unsigned int x, unsigned int y) { return static_cast<unsigned int>((static_cast<uint64_t>(x) + y) >> 1); }
inline unsigned int __urhadd(unsigned int x, unsigned int y) { return static_cast<unsigned int>((static_cast<uint64_t>(x) + y + 1) >> 1); }

// Cache hints do not change values.
template <class T>
inline T asc_ldcg(const T* address)
{
    return *address;
}
template <class T>
inline T asc_ldca(const T* address)
{
    return *address;
}
template <class T>
inline void asc_stcg(T* address, std::enable_if_t<true, T> value)
{
    *address = value;
}
template <class T>
inline void asc_stwt(T* address, std::enable_if_t<true, T> value)
{
    *address = value;
}
inline void asc_dcci_entire(void*) {}
inline void asc_dcci_single(void*) {}
inline void asc_nop() {}
/// Ends the kernel, as the vendor's does (page "__trap").
inline void __trap(ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    ascendc_emu::violation("kernel-trap", loc, "__trap was called");
}
inline long long asc_clock() { return static_cast<long long>(::clock()); }
