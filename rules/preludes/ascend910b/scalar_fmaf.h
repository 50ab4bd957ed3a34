// x * y + z, rounded once.
__aicore__ inline float scalar_fmaf(float x, float y, float z)
{
    const uint32_t exponents = 0x7f800000u;
    const bool special = (scalar_bits(x) & exponents) == exponents || (scalar_bits(y) & exponents) == exponents;
    if (special || (scalar_bits(z) & exponents) == exponents) {
        return special ? x * y + z : z;
    }
    const ScalarFixed a = scalar_unpack(x);
    const ScalarFixed b = scalar_unpack(y);
    const ScalarFixed c = scalar_unpack(z);
    const uint32_t product_sign = (scalar_bits(x) ^ scalar_bits(y)) & 0x80000000u;
    const uint32_t sum_sign = scalar_bits(z) & 0x80000000u;
    if (a.mantissa == 0 || b.mantissa == 0) {
        return c.mantissa == 0 ? scalar_from_bits(product_sign & sum_sign) : z;
    }
    ScalarFixed big = scalar_normal((a.mantissa >> 40) * (b.mantissa >> 40), a.exponent + b.exponent + 80);
    uint32_t sign = product_sign;
    if (c.mantissa == 0) {
        return scalar_pack(sign, big.mantissa, big.exponent);
    }
    ScalarFixed small = c;
    bool swap = small.exponent > big.exponent;
    if (small.exponent == big.exponent) {
        swap = small.mantissa > big.mantissa;
    }
    if (swap) {
        small = big;
        big = c;
        sign = sum_sign;
    }
    // Two bits of headroom; what the shift drops is kept as a sticky bit.
    const int32_t shift = big.exponent - small.exponent;
    const uint64_t large = big.mantissa >> 2;
    const uint64_t value = small.mantissa >> 2;
    const uint64_t part = scalar_down(value, shift);
    const uint64_t lost = shift > 63 || (part << shift) != value ? 1 : 0;
    if (product_sign == sum_sign) {
        return scalar_pack(sign, (large + part) | lost, big.exponent + 2);
    }
    const uint64_t rest = large - part;
    if (rest == 0 && lost == 0) {
        return 0.0f;
    }
    return scalar_pack(sign, lost != 0 ? (rest - 1) | 1 : rest, big.exponent + 2);
}
