// Logarithm to base 2.
__aicore__ inline float scalar_log2f(float x)
{
    if (!(x > 0.0f) || scalar_bits(x) == 0x7f800000u) {
        return scalar_log_special(x);
    }
    bool negative = false;
    const ScalarFixed r = scalar_log_base(scalar_unpack(x), 1LL << 54, 0x5c551d94ae0bf85eull, negative);
    return scalar_pack(negative ? 0x80000000u : 0u, r.mantissa, r.exponent);
}
