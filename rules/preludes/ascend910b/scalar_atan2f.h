// The angle of the point (x, y).
__aicore__ inline float scalar_atan2f(float y, float x)
{
    if (x != x || y != y) {
        return x + y;
    }
    const uint32_t sign = scalar_bits(y) & 0x80000000u;
    const bool left = (scalar_bits(x) >> 31) != 0;
    const bool far_x = (scalar_bits(x) & 0x7fffffffu) == 0x7f800000u;
    const bool far_y = (scalar_bits(y) & 0x7fffffffu) == 0x7f800000u;
    if (far_x && far_y) {
        return scalar_from_bits(sign | (left ? 0x4016cbe4u : 0x3f490fdbu));
    }
    if (far_x || (scalar_bits(y) << 1) == 0) {
        return scalar_from_bits(sign | (left ? 0x40490fdbu : 0u));
    }
    if (far_y || (scalar_bits(x) << 1) == 0) {
        return scalar_from_bits(sign | 0x3fc90fdbu);
    }
    const ScalarFixed r = scalar_atan_ratio(scalar_unpack(y), scalar_unpack(x), left);
    return scalar_pack(sign, r.mantissa, r.exponent);
}
