// Square root, rounded to nearest even.
__aicore__ inline float scalar_sqrtf(float x)
{
    const uint32_t bits = scalar_bits(x);
    if ((bits << 1) == 0) {
        return x;
    }
    if ((bits >> 31) != 0 && (bits << 1) <= 0xff000000u) {
        return scalar_from_bits(0x7fffffffu);
    }
    if ((bits & 0x7f800000u) == 0x7f800000u) {
        return x + x;
    }
    const ScalarFixed root = scalar_root(scalar_unpack(x));
    return scalar_pack(0, root.mantissa, root.exponent);
}
