// Sine.
__aicore__ inline float scalar_sinf(float x)
{
    if ((scalar_bits(x) & 0x7f800000u) == 0x7f800000u) {
        return scalar_from_bits(0x7fffffffu);
    }
    const ScalarAngle angle = scalar_angle(x);
    const bool cosine = (angle.quarters & 1u) != 0;
    const ScalarFixed r = cosine ? scalar_cos_part(angle.rest) : scalar_sin_part(angle.rest);
    const bool minus = (angle.quarters >> 1 != 0) != (!cosine && angle.negative);
    return scalar_pack((scalar_bits(x) & 0x80000000u) ^ (minus ? 0x80000000u : 0u), r.mantissa, r.exponent);
}
