// Arc tangent.
__aicore__ inline float scalar_atanf(float x)
{
    const uint32_t sign = scalar_bits(x) & 0x80000000u;
    if (x != x || (scalar_bits(x) << 1) == 0) {
        return x;
    }
    if ((scalar_bits(x) & 0x7fffffffu) == 0x7f800000u) {
        return scalar_from_bits(sign | 0x3fc90fdbu);
    }
    const ScalarFixed r = scalar_atan_ratio(scalar_unpack(x), ScalarFixed{1ull << 63, -63}, false);
    return scalar_pack(sign, r.mantissa, r.exponent);
}
