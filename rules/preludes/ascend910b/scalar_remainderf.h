// Remainder of x / y with the quotient rounded to even; exact.
__aicore__ inline float scalar_remainderf(float x, float y)
{
    if ((scalar_bits(x) & 0x7f800000u) == 0x7f800000u || y != y || (scalar_bits(y) << 1) == 0) {
        return scalar_from_bits(0x7fffffffu);
    }
    if ((scalar_bits(y) & 0x7fffffffu) == 0x7f800000u) {
        return x;
    }
    const ScalarFixed b = scalar_unpack(y);
    const ScalarFixed a = scalar_unpack(x);
    uint32_t sign = scalar_bits(x) & 0x80000000u;
    if (a.mantissa == 0 || a.exponent < b.exponent - 1) {
        return x;
    }
    // One bit finer than y's last place, so that half of y is whole.
    const uint64_t divisor = b.mantissa >> 39;
    uint64_t rest = a.exponent < b.exponent ? a.mantissa >> 40 : (a.mantissa >> 39);
    uint64_t quotient = rest / divisor;
    rest %= divisor;
    for (int32_t left = a.exponent - b.exponent; left > 0; left -= 32) {
        rest <<= left < 32 ? left : 32;
        quotient = rest / divisor;
        rest %= divisor;
    }
    if (2 * rest > divisor || (2 * rest == divisor && (quotient & 1) != 0)) {
        rest = divisor - rest;
        sign ^= 0x80000000u;
    }
    return scalar_pack(sign, rest, b.exponent + 39);
}
