// Arc cosine.
__aicore__ inline float scalar_acosf(float x)
{
    const float size = scalar_fabsf(x);
    if (!(size <= 1.0f)) {
        return scalar_from_bits(0x7fffffffu);
    }
    const bool left = (scalar_bits(x) >> 31) != 0;
    if (size == 1.0f) {
        return left ? scalar_from_bits(0x40490fdbu) : 0.0f;
    }
    const ScalarFixed a = scalar_unpack(x);
    if (size < 0.0078125f) {
        const ScalarFixed small = scalar_asin_small(a);
        const uint64_t part = size == 0.0f ? 0 : scalar_down(small.mantissa, -(small.exponent + 62));
        const uint64_t quarter = 0x6487ed5110b4611aull;
        return scalar_pack(0, left ? quarter + part : quarter - part, -62);
    }
    const ScalarFixed r = scalar_atan_ratio(scalar_circle(a), a, left);
    return scalar_pack(0, r.mantissa, r.exponent);
}
