// Natural logarithm of 1 + x.
__aicore__ inline float scalar_log1pf(float x)
{
    if (!(x > -1.0f) || scalar_bits(x) == 0x7f800000u) {
        return x == -1.0f ? scalar_from_bits(0xff800000u) : (x < 0.0f ? scalar_from_bits(0x7fffffffu) : x + x);
    }
    const ScalarFixed a = scalar_unpack(x);
    // |x| < 2**-26 rounds to itself.
    if (a.mantissa == 0 || a.exponent + 63 < -26) {
        return x;
    }
    // 1 + x with 62 bits after the point, exact below 2; above 2**24 the 1 is kept as far as it goes.
    ScalarFixed sum{0, 0};
    if (a.exponent < -63) {
        const uint64_t part = scalar_down(a.mantissa, -(a.exponent + 62));
        sum = scalar_normal(x < 0.0f ? (1ull << 62) - part : (1ull << 62) + part, -62);
    } else {
        sum = scalar_normal((a.mantissa >> 1) + scalar_down(1ull << 62, a.exponent + 63), a.exponent + 1);
    }
    bool negative = false;
    const ScalarFixed r = scalar_log_base(sum, 0x2c5c85fdf473deLL, 1ull << 62, negative);
    return scalar_pack(negative ? 0x80000000u : 0u, r.mantissa, r.exponent);
}
