// Functions on double precision by integer arithmetic (float64.h). Rounding functions, fmod, fmin and fmax are exact;
// the others are within a few units of the last place, and so is CUDA's own library.
#pragma once

#include "float64.h"

namespace float64 {

constexpr uint64_t kOne = 0x3ffull << 52;
constexpr uint64_t kHalf = 0x3feull << 52;

__aicore__ inline Float64 one() { return literal(kOne); }
__aicore__ inline Float64 half() { return literal(kHalf); }
__aicore__ inline Float64 pi() { return literal(0x400921fb54442d18ull); }
__aicore__ inline Float64 half_pi() { return literal(0x3ff921fb54442d18ull); }
__aicore__ inline Float64 half_pi_low() { return literal(0x3c91a62633145c07ull); }
__aicore__ inline Float64 ln2_high() { return literal(0x3fe62e42fee00000ull); } // its last bits are 0: a product with an exponent is exact
__aicore__ inline Float64 ln2_low() { return literal(0x3dea39ef35793c76ull); }
__aicore__ inline Float64 log2_e() { return literal(0x3ff71547652b82feull); }
__aicore__ inline Float64 log10_e() { return literal(0x3fdbcb7b1526e50eull); }
__aicore__ inline Float64 ln_10() { return literal(0x40026bb1bbb55516ull); }
__aicore__ inline Float64 nan() { return literal(kNan); }

__aicore__ inline bool isnan(Float64 x) { return is_nan(x); }
__aicore__ inline bool isinf(Float64 x) { return is_infinite(x); }
__aicore__ inline bool isfinite(Float64 x) { return (x.bits & kInfinity) != kInfinity; }
__aicore__ inline bool signbit(Float64 x) { return (x.bits & kSign) != 0; }
__aicore__ inline Float64 fabs(Float64 x) { return literal(x.bits & ~kSign); }
__aicore__ inline Float64 copysign(Float64 x, Float64 sign) { return literal((x.bits & ~kSign) | (sign.bits & kSign)); }
__aicore__ inline Float64 fmax(Float64 a, Float64 b)
{
    if (is_nan(a)) return b;
    if (is_nan(b)) return a;
    return a < b || (a == b && signbit(a)) ? b : a;
}
__aicore__ inline Float64 fmin(Float64 a, Float64 b)
{
    if (is_nan(a)) return b;
    if (is_nan(b)) return a;
    return b < a || (a == b && signbit(b)) ? b : a;
}
__aicore__ inline Float64 fdim(Float64 a, Float64 b) { return unordered(a, b) ? a + b : a > b ? a - b : literal(0); }

// --- rounding to whole numbers

enum class Toward { Zero, Below, Above, Even, Away };

/// x without its fraction, in the direction given.
__aicore__ inline Float64 whole(Float64 x, Toward direction)
{
    const int exponent = (int)(x.bits >> 52 & 0x7ff) - 1023;
    if (exponent >= 52) return is_nan(x) ? nan_of(x, x) : x;
    if (is_zero(x)) return x;
    const uint64_t sign = x.bits & kSign;
    if (exponent < 0) {
        const uint64_t size = x.bits & ~kSign;
        const bool up = (direction == Toward::Below && sign != 0) || (direction == Toward::Above && sign == 0) ||
                        (direction == Toward::Even && size > kHalf) || (direction == Toward::Away && size >= kHalf);
        return literal(sign | (up ? kOne : 0));
    }
    const uint64_t unit = 1ull << (52 - exponent);
    const uint64_t fraction = x.bits & (unit - 1);
    const uint64_t cut = x.bits - fraction;
    const bool odd = exponent == 0 ? true : (cut & unit) != 0;
    const bool up = fraction != 0 && ((direction == Toward::Below && sign != 0) || (direction == Toward::Above && sign == 0) ||
                                      (direction == Toward::Even && (fraction > unit / 2 || (fraction == unit / 2 && odd))) ||
                                      (direction == Toward::Away && fraction >= unit / 2));
    return literal(cut + (up ? unit : 0)); // a carry goes into the exponent
}
__aicore__ inline Float64 trunc(Float64 x) { return whole(x, Toward::Zero); }
__aicore__ inline Float64 floor(Float64 x) { return whole(x, Toward::Below); }
__aicore__ inline Float64 ceil(Float64 x) { return whole(x, Toward::Above); }
__aicore__ inline Float64 rint(Float64 x) { return whole(x, Toward::Even); }
__aicore__ inline Float64 nearbyint(Float64 x) { return whole(x, Toward::Even); }
__aicore__ inline Float64 round(Float64 x) { return whole(x, Toward::Away); }

/// x * 2^n, rounded once.
__aicore__ inline Float64 ldexp(Float64 x, int n)
{
    if (!isfinite(x) || is_zero(x)) return is_nan(x) ? nan_of(x, x) : x;
    const Parts p = parts(x);
    const int by = n > 5000 ? 5000 : n < -5000 ? -5000 : n;
    return rounded(p.sign, p.exponent + by, p.significand << 10);
}
__aicore__ inline Float64 scalbn(Float64 x, int n) { return ldexp(x, n); }
__aicore__ inline Float64 frexp(Float64 x, int* exponent)
{
    *exponent = 0;
    if (!isfinite(x) || is_zero(x)) return x;
    const Parts p = parts(x);
    *exponent = p.exponent - 1022;
    return literal(p.sign | kHalf | (p.significand & kFraction));
}
__aicore__ inline Float64 modf(Float64 x, Float64* integral)
{
    *integral = trunc(x);
    return is_infinite(x) ? copysign(literal(0), x) : copysign(x - *integral, x);
}
__aicore__ inline Float64 fmod(Float64 x, Float64 y)
{
    if (unordered(x, y)) return nan_of(x, y);
    if (is_infinite(x) || is_zero(y)) return nan();
    if (is_infinite(y) || is_zero(x)) return x;
    const Parts a = parts(x);
    const Parts b = parts(y);
    uint64_t rest = a.significand;
    int exponent = a.exponent;
    if (exponent < b.exponent) return x;
    for (; exponent > b.exponent; --exponent) rest = (rest % b.significand) << 1;
    rest %= b.significand;
    if (rest == 0) return literal(a.sign);
    const int up = leading_zeros(rest) - 1;
    return rounded(a.sign, exponent + 10 - up, rest << up);
}

/// c[0] x^(n-1) + ... + c[n-1].
template <int n>
__aicore__ inline Float64 series(const uint64_t (&c)[n], Float64 x)
{
    Float64 sum = literal(c[0]);
    for (int i = 1; i < n; ++i) sum = sum * x + literal(c[i]);
    return sum;
}

// --- exponentials and logarithms

/// e^r - 1 for |r| below 0.35.
__aicore__ inline Float64 small_expm1(Float64 r)
{
    // 1/14!, 1/13!, ... 1/2!: the series of exp, highest power first.
    const uint64_t c[] = {
        0x3da93974a8c07c9dull, 0x3de6124613a86d09ull, 0x3e21eed8eff8d898ull, 0x3e5ae64567f544e4ull,
        0x3e927e4fb7789f5cull, 0x3ec71de3a556c734ull, 0x3efa01a01a01a01aull, 0x3f2a01a01a01a01aull,
        0x3f56c16c16c16c17ull, 0x3f81111111111111ull, 0x3fa5555555555555ull, 0x3fc5555555555555ull,
        0x3fe0000000000000ull,
    };
    return r + r * r * series(c, r);
}

__aicore__ inline Float64 exp(Float64 x)
{
    if (is_nan(x)) return nan_of(x, x);
    if (x > Float64(710)) return literal(kInfinity);
    if (x < Float64(-746)) return literal(0);
    const Float64 k = rint(x * log2_e());
    const Float64 r = (x - k * ln2_high()) - k * ln2_low();
    return ldexp(one() + small_expm1(r), to_int32(k));
}
__aicore__ inline Float64 expm1(Float64 x)
{
    if (is_zero(x)) return x;
    return fabs(x) < literal(0x3fd6000000000000ull) ? small_expm1(x) : exp(x) - one();
}

/// A number as 2^exponent * significand with the significand between float64::sqrt(1/2) and float64::sqrt(2).
struct Scaled {
    int exponent;
    Float64 significand;
};
__aicore__ inline Scaled scaled(Float64 x)
{
    const Parts p = parts(x);
    const bool large = p.significand > 0x16a09e667f3bcdull;
    const uint64_t exponent = large ? 1022 : 1023;
    return {p.exponent - 1023 + (large ? 1 : 0), literal(exponent << 52 | (p.significand & kFraction))};
}

/// Logarithm as a sum of two numbers, good to about 2^-60.
struct Sum {
    Float64 high;
    Float64 low;
};
__aicore__ inline Sum log_sum(Float64 x)
{
    // 2/25, 2/23, ... 2/3: the series of log((1 + s) / (1 - s)) in s^2 behind its first term.
    const uint64_t c[] = {
        0x3fb47ae147ae147bull, 0x3fb642c8590b2164ull, 0x3fb8618618618618ull, 0x3fbaf286bca1af28ull,
        0x3fbe1e1e1e1e1e1eull, 0x3fc1111111111111ull, 0x3fc3b13b13b13b14ull, 0x3fc745d1745d1746ull,
        0x3fcc71c71c71c71cull, 0x3fd2492492492492ull, 0x3fd999999999999aull, 0x3fe5555555555555ull,
    };
    const Scaled y = scaled(x);
    const Float64 f = y.significand - one();
    const Float64 d = y.significand + one();
    const Float64 d_low = y.significand - (d - one());
    const Float64 s = f / d;
    const Float64 s_low = (float64::fma(-s, d, f) - s * d_low) / d;
    const Float64 z = s * s;
    const Float64 low = s_low + s_low + s * (z * series(c, z));
    const Float64 k = Float64(y.exponent);
    const Float64 base = k * ln2_high();
    const Float64 high = base + (s + s);
    const Float64 rest = ((base - high) + (s + s)) + (low + k * ln2_low());
    const Float64 sum = high + rest;
    return {sum, (high - sum) + rest};
}
__aicore__ inline bool log_is_special(Float64 x) { return is_nan(x) || is_zero(x) || signbit(x) || is_infinite(x); }
__aicore__ inline Float64 special_log(Float64 x)
{
    if (is_nan(x)) return nan_of(x, x);
    if (is_zero(x)) return literal(kSign | kInfinity);
    return signbit(x) ? nan() : x;
}
__aicore__ inline Float64 log(Float64 x)
{
    if (log_is_special(x)) return special_log(x);
    const Sum l = log_sum(x);
    return l.high + l.low;
}
__aicore__ inline Float64 log2(Float64 x)
{
    if (log_is_special(x)) return special_log(x);
    const Scaled y = scaled(x);
    const Sum l = log_sum(y.significand);
    return Float64(y.exponent) + (l.high * log2_e() + l.low * log2_e());
}
__aicore__ inline Float64 log10(Float64 x)
{
    if (log_is_special(x)) return special_log(x);
    const Sum l = log_sum(x);
    return l.high * log10_e() + l.low * log10_e();
}
__aicore__ inline Float64 log1p(Float64 x)
{
    const Float64 u = one() + x;
    if (is_zero(x) || u == one() || log_is_special(u)) return is_zero(x) || u == one() ? x : special_log(u);
    return log(u) * (x / (u - one()));
}
/// e^(high + low).
__aicore__ inline Float64 exp_sum(Float64 high, Float64 low)
{
    const Float64 e = exp(high);
    return isfinite(e) && !is_zero(e) ? e + e * low : e;
}
__aicore__ inline Float64 exp2(Float64 x)
{
    const Float64 k = rint(x);
    if (!isfinite(x) || fabs(x) > Float64(1100)) return exp(x);
    return ldexp(one() + small_expm1((x - k) * (ln2_high() + ln2_low())), to_int32(k));
}
__aicore__ inline Float64 exp10(Float64 x)
{
    const Float64 high = x * ln_10();
    return isfinite(high) ? exp_sum(high, float64::fma(x, ln_10(), -high)) : exp(high);
}

/// 0 for a number with a fraction, 1 for odd, 2 for even.
__aicore__ inline int parity(Float64 y)
{
    if (rint(y) != y) return 0;
    return is_zero(fmod(y, Float64(2))) ? 2 : 1;
}
__aicore__ inline Float64 pow(Float64 x, Float64 y)
{
    if (is_zero(y) || x == one()) return one();
    if (unordered(x, y)) return nan_of(x, y);
    const Float64 size = fabs(x);
    if (is_infinite(y)) {
        if (size == one()) return one();
        return (size > one()) == !signbit(y) ? literal(kInfinity) : literal(0);
    }
    const int kind = parity(y);
    const uint64_t sign = signbit(x) && kind == 1 ? kSign : 0;
    if (is_zero(x) || is_infinite(x)) return literal(sign | (is_zero(x) == signbit(y) ? kInfinity : 0));
    if (signbit(x) && kind == 0) return nan();
    const Sum l = log_sum(size);
    const Float64 high = y * l.high;
    if (!isfinite(high)) return literal(sign | (signbit(high) ? 0 : kInfinity));
    return literal(sign | exp_sum(high, float64::fma(y, l.high, -high) + y * l.low).bits);
}
__aicore__ inline Float64 cbrt(Float64 x)
{
    if (!isfinite(x) || is_zero(x)) return x;
    const Sum l = log_sum(fabs(x));
    const Float64 r = exp((l.high + l.low) / Float64(3));
    const Float64 better = r - (r - fabs(x) / (r * r)) / Float64(3);
    return copysign(better, x);
}
__aicore__ inline Float64 rsqrt(Float64 x) { return one() / float64::sqrt(x); }
__aicore__ inline Float64 hypot(Float64 x, Float64 y)
{
    if (is_infinite(x) || is_infinite(y)) return literal(kInfinity);
    if (unordered(x, y)) return nan_of(x, y);
    const Float64 large = fmax(fabs(x), fabs(y));
    if (is_zero(large)) return large;
    const int scale = parts(large).exponent - 1023;
    const Float64 a = ldexp(x, -scale);
    const Float64 b = ldexp(y, -scale);
    return ldexp(float64::sqrt(float64::fma(a, a, b * b)), scale);
}

// --- trigonometric functions

/// A whole number of quarter turns, and the rest between -pi/4 and pi/4 as a sum.
struct Turn {
    int quarters;
    Sum rest;
};

/// Payne and Hanek's reduction: 192 bits of x * 2/pi around its point.
__aicore__ inline Turn reduced(Float64 x)
{
    // 2/pi after its point, 1280 bits.
    const uint64_t c[] = {
        0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
        0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
        0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
        0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
        0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull,
    };
    const Parts p = parts(x);
    const int first = p.exponent - 1075 - 2; // bits of 2/pi above this one give whole turns
    uint64_t w[3];
    for (int i = 0; i < 3; ++i) {
        const int at = first + 64 * i;
        const int word = at >> 6; // floor
        const int shift = at & 63;
        const uint64_t high = word >= 0 && word < 20 ? c[word] : 0;
        const uint64_t next = word + 1 >= 0 && word + 1 < 20 ? c[word + 1] : 0;
        w[i] = shift == 0 ? high : high << shift | next >> (64 - shift);
    }
    const Wide low = product(p.significand, w[2]);
    const Wide middle = product(p.significand, w[1]);
    const uint64_t f1 = middle.low + low.high;
    uint64_t f[3] = {p.significand * w[0] + middle.high + (f1 < low.high), f1, low.low};
    int quarters = (int)(f[0] >> 62);
    f[0] = f[0] << 2 | f[1] >> 62;
    f[1] = f[1] << 2 | f[2] >> 62;
    f[2] <<= 2;
    const bool negative = f[0] >> 63 != 0;
    if (negative) {
        ++quarters;
        f[2] = ~f[2] + 1;
        f[1] = ~f[1] + (f[2] == 0);
        f[0] = ~f[0] + (f[2] == 0 && f[1] == 0);
    }
    int up = 0;
    if (f[0] == 0) {
        up = 64;
        f[0] = f[1];
        f[1] = f[2];
        f[2] = 0;
    }
    if (f[0] == 0) return {quarters & 3, {literal(0), literal(0)}};
    const int zeros = leading_zeros(f[0]);
    if (zeros > 0) {
        f[0] = f[0] << zeros | f[1] >> (64 - zeros);
        f[1] = f[1] << zeros | f[2] >> (64 - zeros);
        up += zeros;
    }
    const Float64 y = ldexp(Float64((unsigned long long)(f[0] >> 11)), -53 - up);
    const Float64 y_low = ldexp(Float64((unsigned long long)((f[0] & 0x7ff) << 53 | f[1] >> 11)), -117 - up);
    Float64 high = y * half_pi();
    Float64 rest = float64::fma(y, half_pi(), -high) + (y * half_pi_low() + y_low * half_pi());
    if (negative != signbit(x)) {
        high = -high;
        rest = -rest;
    }
    return {(signbit(x) ? -quarters : quarters) & 3, {high, rest}};
}
__aicore__ inline Turn turn(Float64 x)
{
    if (fabs(x) < literal(0x3fe921fb54442d18ull)) return {0, {x, literal(0)}};
    return reduced(x);
}
__aicore__ inline Float64 small_sin(Sum r)
{
    // -1/19!, 1/17!, ... -1/3!: the series of sin in x^2 behind x.
    const uint64_t c[] = {
        0xbc62f49b46814157ull, 0x3ce952c77030ad4aull, 0xbd6ae7f3e733b81full, 0x3de6124613a86d09ull,
        0xbe5ae64567f544e4ull, 0x3ec71de3a556c734ull, 0xbf2a01a01a01a01aull, 0x3f81111111111111ull,
        0xbfc5555555555555ull,
    };
    const Float64 z = r.high * r.high;
    return r.high + (r.high * z * series(c, z) + r.low * (one() - half() * z));
}
__aicore__ inline Float64 small_cos(Sum r)
{
    // -1/18!, 1/16!, ... 1/4!: the series of cos in x^2 behind 1 - x^2/2.
    const uint64_t c[] = {
        0xbca6827863b97d97ull, 0x3d2ae7f3e733b81full, 0xbda93974a8c07c9dull, 0x3e21eed8eff8d898ull,
        0xbe927e4fb7789f5cull, 0x3efa01a01a01a01aull, 0xbf56c16c16c16c17ull, 0x3fa5555555555555ull,
    };
    const Float64 z = r.high * r.high;
    const Float64 h = half() * z;
    const Float64 w = one() - h;
    return w + (((one() - w) - h) + (z * z * series(c, z) - r.high * r.low));
}
__aicore__ inline Float64 quarter_sin(int quarters, Sum r)
{
    const Float64 value = (quarters & 1) != 0 ? small_cos(r) : small_sin(r);
    return (quarters & 2) != 0 ? -value : value;
}
__aicore__ inline Float64 sin(Float64 x)
{
    if (!isfinite(x)) return nan();
    if (is_zero(x)) return x;
    const Turn t = turn(x);
    return quarter_sin(t.quarters, t.rest);
}
__aicore__ inline Float64 cos(Float64 x)
{
    if (!isfinite(x)) return nan();
    const Turn t = turn(x);
    return quarter_sin(t.quarters + 1, t.rest);
}
__aicore__ inline void sincos(Float64 x, Float64* sine, Float64* cosine)
{
    *sine = sin(x);
    *cosine = cos(x);
}
__aicore__ inline Float64 tan(Float64 x)
{
    if (!isfinite(x)) return nan();
    if (is_zero(x)) return x;
    const Turn t = turn(x);
    return quarter_sin(t.quarters, t.rest) / quarter_sin(t.quarters + 1, t.rest);
}
/// Half turns: the rest of x after whole quarters is exact.
__aicore__ inline Turn half_turns(Float64 x)
{
    const Float64 quarters = rint(x + x);
    const Float64 rest = (x - half() * quarters) * pi();
    return {to_int32(fmod(quarters, Float64(4))) & 3, {rest, literal(0)}};
}
__aicore__ inline Float64 sinpi(Float64 x)
{
    if (!isfinite(x)) return nan();
    const Turn t = half_turns(x);
    return quarter_sin(t.quarters, t.rest);
}
__aicore__ inline Float64 cospi(Float64 x)
{
    if (!isfinite(x)) return nan();
    const Turn t = half_turns(x);
    return quarter_sin(t.quarters + 1, t.rest);
}

__aicore__ inline Float64 atan(Float64 x)
{
    // 1/25, -1/23, ... -1/3: the series of atan in x^2 behind x.
    const uint64_t c[] = {
        0x3fa47ae147ae147bull, 0xbfa642c8590b2164ull, 0x3fa8618618618618ull, 0xbfaaf286bca1af28ull,
        0x3fae1e1e1e1e1e1eull, 0xbfb1111111111111ull, 0x3fb3b13b13b13b14ull, 0xbfb745d1745d1746ull,
        0x3fbc71c71c71c71cull, 0xbfc2492492492492ull, 0x3fc999999999999aull, 0xbfd5555555555555ull,
    };
    if (is_nan(x) || is_zero(x)) return x;
    const Float64 size = fabs(x);
    const bool turned = size > one();
    const Float64 t = turned ? one() / size : size;
    const Float64 u = t / (one() + float64::sqrt(one() + t * t)); // tan of half the angle
    const Float64 v = u / (one() + float64::sqrt(one() + u * u)); // of a quarter
    const Float64 z = v * v;
    const Float64 angle = Float64(4) * (v + v * z * series(c, z));
    return copysign(turned ? half_pi() - (angle - half_pi_low()) : angle, x);
}
__aicore__ inline Float64 atan2(Float64 y, Float64 x)
{
    if (unordered(x, y)) return nan_of(y, x);
    if (is_zero(y)) return signbit(x) ? copysign(pi(), y) : y;
    if (is_zero(x)) return copysign(half_pi(), y);
    if (is_infinite(x)) {
        if (is_infinite(y)) return copysign(signbit(x) ? literal(0x4002d97c7f3321d2ull) : literal(0x3fe921fb54442d18ull), y);
        return copysign(signbit(x) ? pi() : literal(0), y);
    }
    if (is_infinite(y)) return copysign(half_pi(), y);
    const Float64 angle = atan(fabs(y) / fabs(x));
    return copysign(signbit(x) ? pi() - (angle - (half_pi_low() + half_pi_low())) : angle, y);
}
__aicore__ inline Float64 asin(Float64 x)
{
    if (is_nan(x) || fabs(x) > one()) return nan();
    return is_zero(x) ? x : atan2(x, float64::sqrt((one() - x) * (one() + x)));
}
__aicore__ inline Float64 acos(Float64 x)
{
    if (is_nan(x) || fabs(x) > one()) return nan();
    return atan2(float64::sqrt((one() - x) * (one() + x)), x);
}

// --- hyperbolic functions

__aicore__ inline Float64 sinh(Float64 x)
{
    if (!isfinite(x) || is_zero(x)) return x;
    const Float64 size = fabs(x);
    if (size > Float64(22)) {
        const Float64 e = exp(half() * size);
        return copysign(half() * e * e, x);
    }
    const Float64 t = expm1(size);
    return copysign(half() * (t + t / (t + one())), x);
}
__aicore__ inline Float64 cosh(Float64 x)
{
    if (!isfinite(x)) return fabs(x);
    const Float64 e = exp(half() * fabs(x));
    if (fabs(x) > Float64(22)) return half() * e * e;
    const Float64 f = e * e;
    return half() * (f + one() / f);
}
__aicore__ inline Float64 tanh(Float64 x)
{
    if (is_nan(x) || is_zero(x)) return x;
    if (fabs(x) > Float64(22)) return copysign(one(), x);
    const Float64 t = expm1(-(fabs(x) + fabs(x)));
    return copysign(-t / (t + Float64(2)), x);
}

} // namespace float64
