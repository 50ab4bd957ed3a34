// Double precision by integer arithmetic, for cores that have none: IEEE 754 binary64, rounding to
// nearest even, with subnormals, infinities and NaNs. Every result has the bits of a double unit.
#pragma once

#include <cstdint>

namespace float64 {

struct Float64;
__aicore__ inline constexpr Float64 literal(uint64_t bits);
__aicore__ inline float to_float(Float64 x);
__aicore__ inline int64_t to_int64(Float64 x);
__aicore__ inline uint64_t to_uint64(Float64 x);
__aicore__ inline int32_t to_int32(Float64 x);
__aicore__ inline uint32_t to_uint32(Float64 x);

constexpr uint64_t kSign = 1ull << 63;
constexpr uint64_t kInfinity = 0x7ffull << 52;
constexpr uint64_t kNan = 0x7ff8ull << 48;
constexpr uint64_t kFraction = (1ull << 52) - 1;

/// Zeros above the highest one of a number that is not 0.
__aicore__ inline constexpr int leading_zeros(uint64_t x)
{
    int count = 0;
    for (int step = 32; step > 0; step /= 2) {
        if (x >> (64 - step) == 0) {
            count += step;
            x <<= step;
        }
    }
    return count;
}

/// The bits of a whole number, rounded.
__aicore__ inline constexpr uint64_t from_whole(uint64_t sign, uint64_t magnitude)
{
    if (magnitude == 0) return sign;
    const int zeros = leading_zeros(magnitude);
    const uint64_t shifted = magnitude << zeros; // highest one at bit 63
    uint64_t kept = shifted >> 11;
    const uint64_t rest = shifted & 0x7ff;
    kept += rest > 0x400 || (rest == 0x400 && (kept & 1) != 0);
    return sign | (((uint64_t)(1085 - zeros) << 52) + kept);
}

/// A double in 64 bits of memory, laid out as the host's `double`.
struct Float64 {
    uint64_t bits;

    Float64() = default;
    __aicore__ constexpr Float64(int value) : bits(from_signed(value)) {}
    __aicore__ constexpr Float64(unsigned int value) : bits(from_whole(0, value)) {}
    __aicore__ constexpr Float64(long value) : bits(from_signed(value)) {}
    __aicore__ constexpr Float64(unsigned long value) : bits(from_whole(0, value)) {}
    __aicore__ constexpr Float64(long long value) : bits(from_signed(value)) {}
    __aicore__ constexpr Float64(unsigned long long value) : bits(from_whole(0, value)) {}
    __aicore__ Float64(float value) : bits(from_float(value)) {}
    constexpr Float64(double value) : bits(__builtin_bit_cast(uint64_t, value)) {} // for the host: initial values

    template <typename Element>
    __aicore__ explicit operator Element() const
    {
        if constexpr (Element(0.5f) != Element(0)) {
            if constexpr (Element(2) == Element(1)) {
                return (bits << 1) != 0; // bool
            } else {
                return to_float(*this);
            }
        } else if constexpr (Element(-1) < Element(0)) {
            return sizeof(Element) == 8 ? (Element)to_int64(*this) : (Element)to_int32(*this);
        } else {
            return sizeof(Element) == 8 ? (Element)to_uint64(*this) : (Element)to_uint32(*this);
        }
    }

private:
    __aicore__ static constexpr uint64_t from_signed(int64_t value)
    {
        return value < 0 ? from_whole(kSign, 0 - (uint64_t)value) : from_whole(0, (uint64_t)value);
    }
    __aicore__ static uint64_t from_float(float value)
    {
        const uint32_t from = __builtin_bit_cast(uint32_t, value);
        const uint64_t sign = (uint64_t)(from >> 31) << 63;
        const uint32_t exponent = from >> 23 & 0xff;
        const uint64_t fraction = from & 0x7fffff;
        if (exponent == 0xff) return sign | kInfinity | (fraction != 0 ? kNan | fraction << 29 : 0);
        if (exponent != 0) return sign | (uint64_t)(exponent + 896) << 52 | fraction << 29;
        if (fraction == 0) return sign;
        const int zeros = leading_zeros(fraction); // a subnormal: 2^-149 times the fraction
        return sign | (((uint64_t)(936 - zeros) << 52) + ((fraction << zeros) >> 11));
    }
};

__aicore__ inline constexpr Float64 literal(uint64_t bits)
{
    Float64 x(0);
    x.bits = bits;
    return x;
}

__aicore__ inline bool is_nan(Float64 x) { return (x.bits & ~kSign) > kInfinity; }
__aicore__ inline bool is_infinite(Float64 x) { return (x.bits & ~kSign) == kInfinity; }
__aicore__ inline bool is_zero(Float64 x) { return (x.bits << 1) == 0; }

/// Sign, exponent and significand of a finite number: (-1)^sign * significand * 2^(exponent - 1075), and for a number
/// that is not 0 the highest one of the significand is bit 52.
struct Parts {
    uint64_t sign;
    int exponent;
    uint64_t significand;
};

__aicore__ inline Parts parts(Float64 x)
{
    Parts p{x.bits & kSign, (int)(x.bits >> 52 & 0x7ff), x.bits & kFraction};
    if (p.exponent != 0) {
        p.significand |= 1ull << 52;
    } else {
        p.exponent = 1;
        if (p.significand != 0) {
            const int up = leading_zeros(p.significand) - 11;
            p.significand <<= up;
            p.exponent -= up;
        }
    }
    return p;
}

/// Shifts right; what falls out stays as a one in the lowest bit.
__aicore__ inline uint64_t shift_sticky(uint64_t x, int by)
{
    if (by == 0) return x;
    if (by > 63) return x != 0;
    return x >> by | (uint64_t)(x << (64 - by) != 0);
}

/// Rounds significand * 2^(exponent - 1085), whose highest one is bit 62.
__aicore__ inline Float64 rounded(uint64_t sign, int exponent, uint64_t significand)
{
    if (exponent > 2046) return literal(sign | kInfinity);
    uint64_t base = 0;
    if (exponent < 1) {
        significand = shift_sticky(significand, 1 - exponent);
    } else {
        base = (uint64_t)(exponent - 1) << 52;
    }
    uint64_t kept = significand >> 10;
    const uint64_t rest = significand & 0x3ff;
    kept += rest > 0x200 || (rest == 0x200 && (kept & 1) != 0);
    return literal(sign | (base + kept));
}

/// The NaN of an operation: that of the operand that is one.
__aicore__ inline Float64 nan_of(Float64 a, Float64 b)
{
    return literal((is_nan(a) ? a.bits : b.bits) | 1ull << 51);
}

__aicore__ inline Float64 operator-(Float64 x) { return literal(x.bits ^ kSign); }
__aicore__ inline Float64 operator+(Float64 x) { return x; }

/// Whether neither number is zero, subnormal, infinite or a NaN: what almost all are.
__aicore__ inline bool both_normal(Float64 a, Float64 b)
{
    return (a.bits >> 52 & 0x7ff) - 1 < 2046 && (b.bits >> 52 & 0x7ff) - 1 < 2046;
}

__aicore__ inline Float64 sum_of_any(Float64 a, Float64 b)
{
    if (is_nan(a) || is_nan(b)) return nan_of(a, b);
    if (is_infinite(a)) return is_infinite(b) && a.bits != b.bits ? literal(kSign | kNan) : a;
    if (is_infinite(b)) return b;
    if (is_zero(a)) return is_zero(b) ? literal(a.bits & b.bits) : b;
    if (is_zero(b)) return a;
    Parts x = parts(a);
    Parts y = parts(b);
    if (x.exponent < y.exponent) {
        const Parts swapped = x;
        x = y;
        y = swapped;
    }
    const uint64_t large = x.significand << 9; // highest one at bit 61
    const uint64_t small = shift_sticky(y.significand << 9, x.exponent - y.exponent);
    uint64_t sign = x.sign;
    uint64_t sum = large + small;
    if (x.sign != y.sign) {
        if (large == small) return literal(0);
        sum = large - small;
        if (large < small) {
            sum = small - large;
            sign = y.sign;
        }
    }
    const int up = leading_zeros(sum) - 1;
    return rounded(sign, x.exponent + 1 - up, sum << up);
}

__aicore__ inline Float64 operator+(Float64 a, Float64 b)
{
    if (!both_normal(a, b)) return sum_of_any(a, b);
    const bool swapped = (a.bits << 1) < (b.bits << 1); // as magnitudes
    const uint64_t larger = swapped ? b.bits : a.bits;
    const uint64_t smaller = swapped ? a.bits : b.bits;
    const int exponent = (int)(larger >> 52 & 0x7ff);
    const uint64_t large = (larger & kFraction) << 9 | 1ull << 61;
    const uint64_t small =
        shift_sticky((smaller & kFraction) << 9 | 1ull << 61, exponent - (int)(smaller >> 52 & 0x7ff));
    if (((larger ^ smaller) & kSign) == 0) {
        const uint64_t sum = large + small; // highest one at bit 61 or 62
        const int up = (int)(sum >> 62 ^ 1);
        return rounded(larger & kSign, exponent + 1 - up, sum << up);
    }
    const uint64_t sum = large - small;
    if (sum == 0) return literal(0);
    const int up = sum >> 61 != 0 ? 1 : leading_zeros(sum) - 1;
    return rounded(larger & kSign, exponent + 1 - up, sum << up);
}
__aicore__ inline Float64 operator-(Float64 a, Float64 b) { return is_nan(b) ? a + b : a + -b; }

/// High and low word of a product.
struct Wide {
    uint64_t high;
    uint64_t low;
};
__aicore__ inline Wide product(uint64_t a, uint64_t b)
{
    const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    const uint64_t low = a0 * b0;
    const uint64_t middle = a1 * b0 + (low >> 32);
    const uint64_t cross = a0 * b1 + (middle & 0xffffffff);
    return {a1 * b1 + (middle >> 32) + (cross >> 32), cross << 32 | (low & 0xffffffff)};
}

__aicore__ inline Float64 product_of_any(Float64 a, Float64 b)
{
    if (is_nan(a) || is_nan(b)) return nan_of(a, b);
    const uint64_t sign = (a.bits ^ b.bits) & kSign;
    if (is_infinite(a) || is_infinite(b)) return literal(is_zero(a) || is_zero(b) ? kSign | kNan : sign | kInfinity);
    if (is_zero(a) || is_zero(b)) return literal(sign);
    const Parts x = parts(a);
    const Parts y = parts(b);
    Wide p = product(x.significand << 10, y.significand << 11); // highest one at bit 125 or 126
    int exponent = x.exponent + y.exponent - 1022;
    if (p.high >> 62 == 0) {
        p.high = p.high << 1 | p.low >> 63;
        p.low <<= 1;
        --exponent;
    }
    return rounded(sign, exponent, p.high | (p.low != 0));
}

__aicore__ inline Float64 operator*(Float64 a, Float64 b)
{
    if (!both_normal(a, b)) return product_of_any(a, b);
    const Wide p = product((a.bits & kFraction) << 10 | 1ull << 62, (b.bits & kFraction) << 11 | 1ull << 63);
    const int up = (int)(p.high >> 62 ^ 1); // highest one at bit 125 or 126
    const uint64_t high = p.high << up | (up != 0 ? p.low >> 63 : 0);
    const uint64_t low = p.low << up;
    const int exponent = (int)(a.bits >> 52 & 0x7ff) + (int)(b.bits >> 52 & 0x7ff) - 1022 - up;
    return rounded((a.bits ^ b.bits) & kSign, exponent, high | (uint64_t)(low != 0));
}

__aicore__ inline Float64 operator/(Float64 a, Float64 b)
{
    if (is_nan(a) || is_nan(b)) return nan_of(a, b);
    const uint64_t sign = (a.bits ^ b.bits) & kSign;
    if (is_infinite(a)) return literal(is_infinite(b) ? kSign | kNan : sign | kInfinity);
    if (is_infinite(b)) return literal(sign);
    if (is_zero(b)) return literal(is_zero(a) ? kSign | kNan : sign | kInfinity);
    if (is_zero(a)) return literal(sign);
    const Parts x = parts(a);
    const Parts y = parts(b);
    uint64_t rest = x.significand;
    int exponent = x.exponent - y.exponent + 1023;
    if (rest < y.significand) {
        rest <<= 1;
        --exponent;
    }
    uint64_t quotient = 1;
    rest -= y.significand;
    for (int digit = 0; digit < 5; ++digit) { // eleven bits each: 56 bits in all
        rest <<= 11;
        quotient = quotient << 11 | rest / y.significand;
        rest %= y.significand;
    }
    return rounded(sign, exponent, quotient << 7 | (uint64_t)(rest != 0));
}

__aicore__ inline Float64& operator+=(Float64& a, Float64 b) { return a = a + b; }
__aicore__ inline Float64& operator-=(Float64& a, Float64 b) { return a = a - b; }
__aicore__ inline Float64& operator*=(Float64& a, Float64 b) { return a = a * b; }
__aicore__ inline Float64& operator/=(Float64& a, Float64 b) { return a = a / b; }

/// Orders numbers as signed integers; both zeros are 0.
__aicore__ inline int64_t order(Float64 x)
{
    const int64_t magnitude = (int64_t)(x.bits & ~kSign);
    return (x.bits & kSign) != 0 ? -magnitude : magnitude;
}
__aicore__ inline bool unordered(Float64 a, Float64 b) { return is_nan(a) || is_nan(b); }
__aicore__ inline bool operator==(Float64 a, Float64 b) { return !unordered(a, b) && order(a) == order(b); }
__aicore__ inline bool operator!=(Float64 a, Float64 b) { return !(a == b); }
__aicore__ inline bool operator<(Float64 a, Float64 b) { return !unordered(a, b) && order(a) < order(b); }
__aicore__ inline bool operator>(Float64 a, Float64 b) { return b < a; }
__aicore__ inline bool operator<=(Float64 a, Float64 b) { return !unordered(a, b) && order(a) <= order(b); }
__aicore__ inline bool operator>=(Float64 a, Float64 b) { return b <= a; }

__aicore__ inline float to_float(Float64 x)
{
    const uint32_t sign = (uint32_t)(x.bits >> 32) & 0x80000000u;
    uint32_t bits = sign;
    if (is_nan(x)) {
        bits |= 0x7fc00000u;
    } else if (is_infinite(x)) {
        bits |= 0x7f800000u;
    } else if (!is_zero(x)) {
        const Parts p = parts(x);
        const int exponent = p.exponent - 896; // of a float
        const int drop = exponent > 0 ? 29 : 30 - exponent;
        if (exponent > 254) {
            bits |= 0x7f800000u;
        } else if (drop < 55) {
            uint64_t kept = p.significand >> drop;
            const uint64_t rest = p.significand & ((1ull << drop) - 1);
            const uint64_t half = 1ull << (drop - 1);
            kept += rest > half || (rest == half && (kept & 1) != 0);
            bits |= (exponent > 0 ? (uint32_t)(exponent - 1) << 23 : 0) + (uint32_t)kept;
        }
    }
    return __builtin_bit_cast(float, bits);
}

/// The whole part without its sign; 2^64 - 1 for what is above.
__aicore__ inline uint64_t magnitude(Float64 x)
{
    const Parts p = parts(x);
    const int up = p.exponent - 1075;
    if (is_infinite(x) || up > 11) return ~0ull;
    if (up >= 0) return p.significand << up;
    return up > -64 ? p.significand >> -up : 0;
}

/// Conversions to integers cut the fraction and stop at the ends of the range; a NaN gives the top bit alone, as where a
/// CUDA device reads 64 bits.
__aicore__ inline int64_t to_int64(Float64 x)
{
    if (is_nan(x)) return (int64_t)kSign;
    const uint64_t m = magnitude(x);
    if ((x.bits & kSign) != 0) return m >= kSign ? (int64_t)kSign : -(int64_t)m;
    return m >= kSign ? (int64_t)(kSign - 1) : (int64_t)m;
}
__aicore__ inline uint64_t to_uint64(Float64 x)
{
    if (is_nan(x)) return kSign;
    return (x.bits & kSign) != 0 ? 0 : magnitude(x);
}
__aicore__ inline int32_t to_int32(Float64 x)
{
    if (is_nan(x)) return -2147483647 - 1;
    const int64_t v = to_int64(x);
    if (v > 2147483647ll) return 2147483647;
    return v < -2147483647ll - 1 ? -2147483647 - 1 : (int32_t)v;
}
__aicore__ inline uint32_t to_uint32(Float64 x)
{
    if (is_nan(x)) return 0x80000000u;
    const uint64_t v = to_uint64(x);
    return v > 0xffffffffull ? 0xffffffffu : (uint32_t)v;
}

/// Square root, rounded: one bit of the root a step.
__aicore__ inline Float64 sqrt(Float64 x)
{
    if (is_nan(x)) return nan_of(x, x);
    if (is_zero(x)) return x;
    if ((x.bits & kSign) != 0) return literal(kSign | kNan);
    if (is_infinite(x)) return x;
    const Parts p = parts(x);
    const int odd = (p.exponent - 1075) & 1;
    const uint64_t whole = p.significand << odd; // 53 or 54 bits
    uint64_t root = 0;
    uint64_t rest = 0;
    for (int bit = 54; bit >= -56; bit -= 2) { // two bits of the radicand a step, then zeros
        rest = rest << 2 | (bit >= 0 ? whole >> bit & 3 : 0);
        const uint64_t trial = root << 2 | 1;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1;
        }
    }
    // root^2 = whole * 2^56, so the root's highest one is bit 54.
    const int exponent = (p.exponent - 1075 - odd) / 2 + 1049;
    return rounded(0, exponent, root << 8 | (uint64_t)(rest != 0));
}

/// a * b + c with one rounding.
__aicore__ inline Float64 fma(Float64 a, Float64 b, Float64 c)
{
    if (is_nan(a) || is_nan(b) || is_nan(c) || is_infinite(a) || is_infinite(b) || is_infinite(c)) {
        return is_infinite(c) && !unordered(a, b) && !is_infinite(a) && !is_infinite(b) ? c : a * b + c;
    }
    if (is_zero(a) || is_zero(b)) return a * b + c;
    const Parts x = parts(a);
    const Parts y = parts(b);
    Wide p = product(x.significand << 10, y.significand << 10); // highest one at bit 124 or 125
    uint64_t sign = (a.bits ^ b.bits) & kSign;
    int exponent = x.exponent + y.exponent - 1022; // of bit 125
    if (!is_zero(c)) {
        const Parts z = parts(c);
        Wide q{z.significand << 9, 0}; // highest one at bit 125
        int apart = exponent - z.exponent;
        Wide* smaller = &q;
        if (apart < 0) {
            smaller = &p;
            exponent = z.exponent;
            apart = -apart;
        }
        if (apart >= 64) {
            smaller->low = shift_sticky(smaller->high, apart - 64) | (uint64_t)(smaller->low != 0);
            smaller->high = 0;
        } else if (apart > 0) {
            const bool lost = (smaller->low << (64 - apart)) != 0;
            smaller->low = smaller->low >> apart | smaller->high << (64 - apart) | (uint64_t)lost;
            smaller->high >>= apart;
        }
        if (sign == z.sign) {
            p.low += q.low;
            p.high += q.high + (p.low < q.low);
        } else {
            if (p.high < q.high || (p.high == q.high && p.low < q.low)) {
                const Wide swapped = p;
                p = q;
                q = swapped;
                sign = z.sign;
            }
            p.high -= q.high + (p.low < q.low);
            p.low -= q.low;
        }
    }
    if ((p.high | p.low) == 0) return literal(0);
    int up = p.high != 0 ? leading_zeros(p.high) : 64 + leading_zeros(p.low);
    up -= 1; // highest one to bit 126
    if (up >= 64) {
        p.high = p.low << (up - 64);
        p.low = 0;
    } else if (up > 0) {
        p.high = p.high << up | p.low >> (64 - up);
        p.low <<= up;
    }
    return rounded(sign, exponent + 1 - up, p.high | (uint64_t)(p.low != 0));
}

} // namespace float64

using float64::Float64;

/// As the host's double2, double3 and double4.
struct alignas(16) Float64x2 {
    Float64 x, y;
};
struct Float64x3 {
    Float64 x, y, z;
};
struct alignas(16) Float64x4 {
    Float64 x, y, z, w;
};
