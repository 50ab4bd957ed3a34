// float16 and bfloat16 as storage types; arithmetic is done in float and rounded to nearest even per operation.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ascendc_emu {

inline uint32_t float_bits(float f)
{
    uint32_t b;
    memcpy(&b, &f, 4);
    return b;
}
inline float bits_float(uint32_t b)
{
    float f;
    memcpy(&f, &b, 4);
    return f;
}

/// How a value that lies between two representable ones is rounded.
enum class Round { Nearest, Floor, Ceil, Away, Zero, Odd };

/// True if the magnitude must grow by one unit: `rest` is the discarded part, `half` half a unit of it.
inline bool round_up(Round mode, bool negative, bool odd, uint64_t rest, uint64_t half)
{
    switch (mode) {
        case Round::Nearest: return rest > half || (rest == half && odd);
        case Round::Away: return rest >= half;
        case Round::Floor: return negative && rest != 0;
        case Round::Ceil: return !negative && rest != 0;
        case Round::Odd: return rest != 0 && !odd;
        case Round::Zero: return false;
    }
    return false;
}

inline uint16_t float_to_half_bits(float f, Round mode = Round::Nearest)
{
    const uint32_t b = float_bits(f);
    const uint16_t sign = static_cast<uint16_t>(b >> 16 & 0x8000u);
    const uint32_t magnitude = b & 0x7FFFFFFFu;
    const bool negative = sign != 0;
    if (magnitude > 0x7F800000u) return static_cast<uint16_t>(sign | 0x7E00u);
    if (magnitude == 0x7F800000u) return static_cast<uint16_t>(sign | 0x7C00u);
    const int exponent = static_cast<int>(magnitude >> 23) - 127;
    const uint64_t mantissa = magnitude >= 0x00800000u ? (magnitude & 0x7FFFFFu) | 0x800000u : (magnitude & 0x7FFFFFu);
    // Bits of the mantissa that do not fit; more of them for subnormal results.
    int shift = exponent >= -14 ? 13 : 13 + (-14 - exponent);
    if (shift > 40) shift = 40;
    uint32_t result;
    if (exponent >= -14) {
        result = static_cast<uint32_t>((static_cast<uint64_t>(exponent + 14) << 10) + (mantissa >> 13));
    } else {
        result = static_cast<uint32_t>(mantissa >> shift);
    }
    const uint64_t rest = mantissa & ((uint64_t{1} << shift) - 1);
    if (round_up(mode, negative, (result & 1) != 0, rest, uint64_t{1} << (shift - 1))) ++result;
    if (result >= 0x7C00u) {
        // Beyond the range: infinity, or the largest value when the mode rounds towards zero there.
        const bool to_infinity = mode == Round::Nearest || mode == Round::Away || (mode == Round::Floor && negative) ||
                                 (mode == Round::Ceil && !negative);
        result = to_infinity ? 0x7C00u : 0x7BFFu;
    }
    return static_cast<uint16_t>(sign | result);
}

inline float half_bits_to_float(uint16_t h)
{
    const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
    const uint32_t exponent = h >> 10 & 31u;
    const uint32_t mantissa = h & 0x3FFu;
    if (exponent == 31) return bits_float(sign | 0x7F800000u | mantissa << 13);
    if (exponent != 0) return bits_float(sign | (exponent + 112) << 23 | mantissa << 13);
    const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-08f; // 2^-24
    return bits_float(sign | float_bits(magnitude));
}

inline uint16_t float_to_bf16_bits(float f, Round mode = Round::Nearest)
{
    const uint32_t b = float_bits(f);
    const uint32_t magnitude = b & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) return static_cast<uint16_t>(b >> 16 | 0x40u);
    uint32_t result = b >> 16;
    if (magnitude < 0x7F800000u && round_up(mode, (b >> 31) != 0, (result & 1) != 0, b & 0xFFFFu, 0x8000u)) ++result;
    return static_cast<uint16_t>(result);
}
inline float bf16_bits_to_float(uint16_t h) { return bits_float(static_cast<uint32_t>(h) << 16); }

/// IEEE binary16. Converts to float without asking; operators on two halfs round their result to half.
struct half {
    uint16_t bits;

    half() = default;
    template <class A, std::enable_if_t<std::is_arithmetic_v<A>, int> = 0>
    constexpr half(A value) : bits(from(static_cast<float>(value))) {}
    operator float() const { return half_bits_to_float(bits); }
    static half raw(uint16_t b)
    {
        half h;
        h.bits = b;
        return h;
    }
    static constexpr uint16_t from(float f)
    {
        if (f == 0.0f && !__builtin_signbit(f)) return 0;
        return float_to_half_bits(f);
    }
    half operator-() const { return raw(bits ^ 0x8000u); }
};

/// bfloat16: the upper half of a float32.
struct bfloat16_t {
    uint16_t bits;

    bfloat16_t() = default;
    template <class A, std::enable_if_t<std::is_arithmetic_v<A>, int> = 0>
    constexpr bfloat16_t(A value) : bits(from(static_cast<float>(value))) {}
    operator float() const { return bf16_bits_to_float(bits); }
    static bfloat16_t raw(uint16_t b)
    {
        bfloat16_t h;
        h.bits = b;
        return h;
    }
    static constexpr uint16_t from(float f)
    {
        if (f == 0.0f && !__builtin_signbit(f)) return 0;
        return float_to_bf16_bits(f);
    }
    bfloat16_t operator-() const { return raw(bits ^ 0x8000u); }
};

template <class T>
constexpr bool is_small_float = std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>;

// Templates, so that they win only when both operands have the very type and never compete for half + float.
#define ASCENDC_EMU_OP(op)                                                       \
    template <class A, std::enable_if_t<is_small_float<A>, int> = 0>             \
    inline A operator op(A a, A b)                                               \
    {                                                                            \
        return A(static_cast<float>(a) op static_cast<float>(b));                \
    }                                                                            \
    template <class A, class B, std::enable_if_t<is_small_float<A>, int> = 0>    \
    inline A& operator op##=(A& a, B b)                                          \
    {                                                                            \
        a = A(static_cast<float>(a) op static_cast<float>(b));                   \
        return a;                                                                \
    }
ASCENDC_EMU_OP(+)
ASCENDC_EMU_OP(-)
ASCENDC_EMU_OP(*)
ASCENDC_EMU_OP(/)
#undef ASCENDC_EMU_OP
#define ASCENDC_EMU_OP(op)                                                       \
    template <class A, std::enable_if_t<is_small_float<A>, int> = 0>             \
    inline bool operator op(A a, A b)                                            \
    {                                                                            \
        return static_cast<float>(a) op static_cast<float>(b);                   \
    }
ASCENDC_EMU_OP(<)
ASCENDC_EMU_OP(>)
ASCENDC_EMU_OP(<=)
ASCENDC_EMU_OP(>=)
ASCENDC_EMU_OP(==)
ASCENDC_EMU_OP(!=)
#undef ASCENDC_EMU_OP

static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<half>);
static_assert(sizeof(bfloat16_t) == 2 && std::is_trivially_copyable_v<bfloat16_t>);

} // namespace ascendc_emu

using ascendc_emu::bfloat16_t;
using ascendc_emu::half;
