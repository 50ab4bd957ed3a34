// Vector registers of 256 bytes and masks of the C API (`vector_float`, `vector_bool`), for `__simd_vf__` functions.
//
// A masked-off element becomes 0 in arithmetic and comparisons, keeps its place in memory in a store, and takes the second
// operand in a selection. A mask has a bit a byte; that of an element is the one of its first byte.
#pragma once

#include "copy.h"

namespace ascendc_emu {
namespace hybrid {

constexpr uint32_t kVectorBytes = 256;

template <class T>
struct Register {
    static constexpr uint32_t kCount = kVectorBytes / sizeof(T);
    T at[kCount];
    Register() { poison(at, sizeof at); }
};

struct Mask {
    bool bit[kVectorBytes] = {};
    template <class T>
    bool of(uint32_t element) const
    {
        return bit[element * sizeof(T)];
    }
    template <class T>
    void set(uint32_t element, bool value)
    {
        for (uint32_t b = 0; b < sizeof(T); ++b) bit[element * sizeof(T) + b] = value;
    }
};

template <class T, class F>
void each(Register<T>& dst, const Mask& mask, F f)
{
    for (uint32_t i = 0; i < Register<T>::kCount; ++i) dst.at[i] = mask.of<T>(i) ? static_cast<T>(f(i)) : T(0.0f);
}
template <class T, class F>
void each_bit(Mask& dst, const Mask& mask, F f)
{
    Mask result;
    for (uint32_t i = 0; i < Register<T>::kCount; ++i) result.set<T>(i, mask.of<T>(i) && f(i));
    dst = result;
}

template <class T>
Mask first_elements(uint32_t& count)
{
    Mask result;
    for (uint32_t i = 0; i < Register<T>::kCount && i < count; ++i) result.set<T>(i, true);
    count = count < Register<T>::kCount ? 0 : count - Register<T>::kCount;
    return result;
}

/// Integers wrap around; the quotient by zero has all bits set, as no device was asked.
template <class T>
T quotient(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        if (b == 0) return static_cast<T>(-1);
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
        }
    }
    return static_cast<T>(a / b);
}
template <class T, class F>
T wrapped(T a, T b, F f)
{
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(f(uint64_t{static_cast<U>(a)}, uint64_t{static_cast<U>(b)}));
    } else {
        return static_cast<T>(f(a, b));
    }
}
template <class T, class F>
T bitwise(T a, T b, F f)
{
    using U = std::conditional_t<sizeof(T) == 4, uint32_t, std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>;
    U x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x = static_cast<U>(f(x, y));
    memcpy(&a, &x, sizeof a);
    return a;
}

template <class T>
void load(Register<T>& dst, const T* from, Loc loc)
{
    Core& c = core(loc);
    const uint32_t place = ub_place(c, from, kVectorBytes, "asc_loadalign", loc);
    c.tracker.read(place, kVectorBytes, kSlotV, c.tracker.issue(kSlotV, loc), loc);
    memcpy(dst.at, from, kVectorBytes);
}
template <class T>
void store(T* to, const Register<T>& src, const Mask& mask, Loc loc)
{
    Core& c = core(loc);
    const uint32_t place = ub_place(c, to, sizeof(T), "asc_storealign", loc);
    const uint32_t seq = c.tracker.issue(kSlotV, loc);
    uint32_t end = 0;
    for (uint32_t i = 0; i < Register<T>::kCount; ++i) {
        if (mask.of<T>(i)) end = i + 1;
    }
    if (end == 0) return;
    ub_place(c, to, end * sizeof(T), "asc_storealign", loc);
    for (uint32_t i = 0; i < end; ++i) {
        if (!mask.of<T>(i)) continue;
        c.tracker.write(place + i * static_cast<uint32_t>(sizeof(T)), sizeof(T), kSlotV, seq, loc);
        to[i] = src.at[i];
    }
}

} // namespace hybrid
} // namespace ascendc_emu

using vector_bool = ascendc_emu::hybrid::Mask;
using vector_int8_t = ascendc_emu::hybrid::Register<int8_t>;
using vector_uint8_t = ascendc_emu::hybrid::Register<uint8_t>;
using vector_int16_t = ascendc_emu::hybrid::Register<int16_t>;
using vector_uint16_t = ascendc_emu::hybrid::Register<uint16_t>;
using vector_int32_t = ascendc_emu::hybrid::Register<int32_t>;
using vector_uint32_t = ascendc_emu::hybrid::Register<uint32_t>;
using vector_half = ascendc_emu::hybrid::Register<half>;
using vector_float = ascendc_emu::hybrid::Register<float>;

constexpr int64_t asc_get_vf_len() { return ascendc_emu::hybrid::kVectorBytes; }
inline vector_bool asc_update_mask_b8(uint32_t& value) { return ascendc_emu::hybrid::first_elements<uint8_t>(value); }
inline vector_bool asc_update_mask_b16(uint32_t& value) { return ascendc_emu::hybrid::first_elements<uint16_t>(value); }
inline vector_bool asc_update_mask_b32(uint32_t& value) { return ascendc_emu::hybrid::first_elements<uint32_t>(value); }

// Operations with the types that the vendor's reg_vector.h declares for them; a call with another type does not compile.
#define ASCENDC_EMU_BINARY(name, V, ...)                                                                     \
    inline void name(V& dst, V src0, V src1, vector_bool mask)                                               \
    {                                                                                                        \
        using ascendc_emu::hybrid::wrapped, ascendc_emu::hybrid::quotient, ascendc_emu::hybrid::bitwise;     \
        ascendc_emu::hybrid::each(dst, mask, [&](uint32_t i) { const auto a = src0.at[i], b = src1.at[i]; return __VA_ARGS__; }); \
    }
#define ASCENDC_EMU_SCALAR(name, V, T, ...)                                                                  \
    inline void name(V& dst, V src, T value, vector_bool mask)                                               \
    {                                                                                                        \
        using ascendc_emu::hybrid::wrapped;                                                                  \
        ascendc_emu::hybrid::each(dst, mask, [&](uint32_t i) { const T a = src.at[i], b = value; return __VA_ARGS__; }); \
    }
#define ASCENDC_EMU_COMPARE(name, V, T, op)                                                                  \
    inline void name(vector_bool& dst, V src0, V src1, vector_bool mask)                                     \
    {                                                                                                        \
        ascendc_emu::hybrid::each_bit<T>(dst, mask, [&](uint32_t i) { return src0.at[i] op src1.at[i]; });   \
    }                                                                                                        \
    inline void name##_scalar(vector_bool& dst, V src, T value, vector_bool mask)                            \
    {                                                                                                        \
        ascendc_emu::hybrid::each_bit<T>(dst, mask, [&](uint32_t i) { return src.at[i] op value; });         \
    }
#define ASCENDC_EMU_ALL(V, T)                                                                                \
    ASCENDC_EMU_BINARY(asc_add, V, wrapped(a, b, [](auto x, auto y) { return x + y; }))                      \
    ASCENDC_EMU_BINARY(asc_sub, V, wrapped(a, b, [](auto x, auto y) { return x - y; }))                      \
    ASCENDC_EMU_BINARY(asc_max, V, a > b ? a : b)                                                            \
    ASCENDC_EMU_BINARY(asc_min, V, a < b ? a : b)                                                            \
    ASCENDC_EMU_BINARY(asc_and, V, bitwise(a, b, [](auto x, auto y) { return x & y; }))                      \
    ASCENDC_EMU_BINARY(asc_or, V, bitwise(a, b, [](auto x, auto y) { return x | y; }))                       \
    ASCENDC_EMU_SCALAR(asc_add_scalar, V, T, wrapped(a, b, [](auto x, auto y) { return x + y; }))            \
    ASCENDC_EMU_COMPARE(asc_eq, V, T, ==)                                                                    \
    ASCENDC_EMU_COMPARE(asc_ne, V, T, !=)                                                                    \
    ASCENDC_EMU_COMPARE(asc_lt, V, T, <)                                                                     \
    ASCENDC_EMU_COMPARE(asc_gt, V, T, >)                                                                     \
    inline void asc_select(V& dst, V src0, V src1, vector_bool mask)                                         \
    {                                                                                                        \
        for (uint32_t i = 0; i < V::kCount; ++i) dst.at[i] = mask.of<T>(i) ? src0.at[i] : src1.at[i];        \
    }                                                                                                        \
    inline void asc_duplicate_scalar(V& dst, T value)                                                        \
    {                                                                                                        \
        for (T& element : dst.at) element = value;                                                           \
    }                                                                                                        \
    inline void asc_duplicate_scalar(V& dst, T value, vector_bool mask)                                      \
    {                                                                                                        \
        ascendc_emu::hybrid::each(dst, mask, [&](uint32_t) { return value; });                               \
    }                                                                                                        \
    inline void asc_loadalign(V& dst, __ubuf__ T* src, ascendc_emu::Loc loc = ascendc_emu::Loc::here())      \
    {                                                                                                        \
        ascendc_emu::hybrid::load(dst, src, loc);                                                            \
    }                                                                                                        \
    inline void asc_storealign(__ubuf__ T* dst, V src, vector_bool mask, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) \
    {                                                                                                        \
        ascendc_emu::hybrid::store(dst, src, mask, loc);                                                     \
    }
#define ASCENDC_EMU_WIDE(V)                                                                                  \
    ASCENDC_EMU_BINARY(asc_mul, V, wrapped(a, b, [](auto x, auto y) { return x * y; }))                      \
    ASCENDC_EMU_BINARY(asc_div, V, quotient(a, b))
ASCENDC_EMU_ALL(vector_int8_t, int8_t)
ASCENDC_EMU_ALL(vector_uint8_t, uint8_t)
ASCENDC_EMU_ALL(vector_int16_t, int16_t)
ASCENDC_EMU_ALL(vector_uint16_t, uint16_t)
ASCENDC_EMU_ALL(vector_int32_t, int32_t)
ASCENDC_EMU_ALL(vector_uint32_t, uint32_t)
ASCENDC_EMU_ALL(vector_half, half)
ASCENDC_EMU_ALL(vector_float, float)
ASCENDC_EMU_WIDE(vector_int16_t)
ASCENDC_EMU_WIDE(vector_uint16_t)
ASCENDC_EMU_WIDE(vector_int32_t)
ASCENDC_EMU_WIDE(vector_uint32_t)
ASCENDC_EMU_WIDE(vector_half)
ASCENDC_EMU_WIDE(vector_float)
#undef ASCENDC_EMU_WIDE
#undef ASCENDC_EMU_ALL
#undef ASCENDC_EMU_COMPARE
#undef ASCENDC_EMU_SCALAR
#undef ASCENDC_EMU_BINARY

inline void asc_and(vector_bool& dst, vector_bool src0, vector_bool src1, vector_bool mask)
{
    for (uint32_t b = 0; b < ascendc_emu::hybrid::kVectorBytes; ++b) dst.bit[b] = src0.bit[b] && src1.bit[b] && mask.bit[b];
}
inline void asc_or(vector_bool& dst, vector_bool src0, vector_bool src1, vector_bool mask)
{
    for (uint32_t b = 0; b < ascendc_emu::hybrid::kVectorBytes; ++b) dst.bit[b] = (src0.bit[b] || src1.bit[b]) && mask.bit[b];
}
