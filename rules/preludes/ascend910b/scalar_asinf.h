// Arc sine.
__aicore__ inline float scalar_asinf(float x)
{
    const uint32_t sign = scalar_bits(x) & 0x80000000u;
    const float size = scalar_fabsf(x);
    if (!(size <= 1.0f)) {
        return scalar_from_bits(0x7fffffffu);
    }
    if (size == 1.0f) {
        return scalar_from_bits(sign | 0x3fc90fdbu);
    }
    if (size == 0.0f) {
        return x;
    }
    const ScalarFixed a = scalar_unpack(x);
    const ScalarFixed r = size < 0.0078125f ? scalar_asin_small(a) : scalar_atan_ratio(a, scalar_circle(a), false);
    return scalar_pack(sign, r.mantissa, r.exponent);
}
