// Logarithm to base 10.
__aicore__ inline float scalar_log10f(float x)
{
    if (!(x > 0.0f) || scalar_bits(x) == 0x7f800000u) {
        return scalar_log_special(x);
    }
    bool negative = false;
    const ScalarFixed r = scalar_log_base(scalar_unpack(x), 0x134413509f79ffLL, 0x1bcb7b1526e50e33ull, negative);
    return scalar_pack(negative ? 0x80000000u : 0u, r.mantissa, r.exponent);
}
