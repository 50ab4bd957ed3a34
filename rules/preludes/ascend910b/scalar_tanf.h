// Tangent.
__aicore__ inline float scalar_tanf(float x)
{
    if ((scalar_bits(x) & 0x7f800000u) == 0x7f800000u) {
        return scalar_from_bits(0x7fffffffu);
    }
    const ScalarAngle angle = scalar_angle(x);
    const ScalarFixed sine = scalar_sin_part(angle.rest);
    const ScalarFixed cosine = scalar_cos_part(angle.rest);
    const bool flipped = (angle.quarters & 1u) != 0;
    const ScalarFixed r = flipped ? scalar_quotient(cosine, sine) : scalar_quotient(sine, cosine);
    const bool minus = flipped != angle.negative;
    return scalar_pack((scalar_bits(x) & 0x80000000u) ^ (minus ? 0x80000000u : 0u), r.mantissa, r.exponent);
}
