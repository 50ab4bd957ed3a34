// Hyperbolic tangent.
__aicore__ inline float scalar_tanhf(float x)
{
    const uint32_t sign = scalar_bits(x) & 0x80000000u;
    const float size = scalar_fabsf(x);
    if (x != x || (scalar_bits(x) << 1) == 0) {
        return x;
    }
    if (size > 16.0f) {
        return scalar_from_bits(sign | 0x3f800000u);
    }
    // t = e**(2 x) - 1 gives t / (t + 2).
    const float twice = size + size;
    ScalarFixed t{0, 0};
    if (twice < 0.5f) {
        t = scalar_expm1_small(twice);
    } else {
        int32_t whole = 0;
        const uint64_t fraction = scalar_exp_base(twice, 0x2e2a8eca5705fc2full, whole);
        t = scalar_normal(fraction - scalar_down(1ull << 62, whole), whole - 62);
    }
    ScalarFixed sum{0, 0};
    if (t.exponent <= -62) {
        sum = scalar_normal((1ull << 62) + scalar_down(t.mantissa, -61 - t.exponent), -61);
    } else {
        sum = scalar_normal((t.mantissa >> 1) + scalar_down(1ull << 62, t.exponent + 62), t.exponent + 1);
    }
    const ScalarFixed result = scalar_quotient(t, sum);
    return scalar_pack(sign, result.mantissa, result.exponent);
}
