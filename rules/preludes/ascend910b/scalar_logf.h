// Natural logarithm.
__aicore__ inline float scalar_logf(float x)
{
    if (!(x > 0.0f) || scalar_bits(x) == 0x7f800000u) {
        return scalar_log_special(x);
    }
    bool negative = false;
    const ScalarFixed r = scalar_log_base(scalar_unpack(x), 0x2c5c85fdf473deLL, 1ull << 62, negative);
    return scalar_pack(negative ? 0x80000000u : 0u, r.mantissa, r.exponent);
}
