// Remainder of x / y with the quotient truncated; exact.
__aicore__ inline float scalar_fmodf(float x, float y)
{
    const uint32_t sign = scalar_bits(x) & 0x80000000u;
    const bool bad = (scalar_bits(x) & 0x7f800000u) == 0x7f800000u;
    if (bad || y != y || (scalar_bits(y) << 1) == 0) {
        return scalar_from_bits(0x7fffffffu);
    }
    if (scalar_fabsf(x) < scalar_fabsf(y)) {
        return x;
    }
    const ScalarFixed a = scalar_unpack(x);
    const ScalarFixed b = scalar_unpack(y);
    const uint64_t divisor = b.mantissa >> 40;
    uint64_t rest = (a.mantissa >> 40) % divisor;
    for (int32_t left = a.exponent - b.exponent; left > 0; left -= 32) {
        rest = (rest << (left < 32 ? left : 32)) % divisor;
    }
    return scalar_pack(sign, rest, b.exponent + 40);
}
