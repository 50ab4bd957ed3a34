// Error function.
__aicore__ inline float scalar_erff(float x)
{
    const uint32_t sign = scalar_bits(x) & 0x80000000u;
    if (x != x || (scalar_bits(x) << 1) == 0) {
        return x;
    }
    const float size = scalar_fabsf(x);
    if (size >= 4.0f) {
        return scalar_from_bits(sign | 0x3f800000u);
    }
    const ScalarFixed r = scalar_erf_part(size);
    return scalar_pack(sign, r.mantissa, r.exponent);
}
