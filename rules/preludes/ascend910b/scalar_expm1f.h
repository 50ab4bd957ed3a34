// e to the power x, less 1.
__aicore__ inline float scalar_expm1f(float x)
{
    const uint32_t sign = scalar_bits(x) & 0x80000000u;
    if (!(scalar_fabsf(x) < 256.0f)) {
        return x != x ? x : (x > 0.0f ? scalar_from_bits(0x7f800000u) : -1.0f);
    }
    if (scalar_fabsf(x) < 0.5f) {
        const ScalarFixed small = scalar_expm1_small(x);
        return (scalar_bits(x) << 1) == 0 ? x : scalar_pack(sign, small.mantissa, small.exponent);
    }
    const uint64_t one = 1ull << 62;
    int32_t whole = 0;
    const uint64_t fraction = scalar_exp_base(x, 0x2e2a8eca5705fc2full, whole);
    if (whole >= 0) {
        return scalar_pack(0, fraction - scalar_down(one, whole), whole - 62);
    }
    return scalar_pack(sign, one - scalar_down(fraction, -whole), -62);
}
