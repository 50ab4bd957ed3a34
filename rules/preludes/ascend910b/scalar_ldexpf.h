// x * 2**n, rounded once.
__aicore__ inline float scalar_ldexpf(float x, int32_t n)
{
    if ((scalar_bits(x) & 0x7f800000u) == 0x7f800000u) {
        return x;
    }
    const int32_t limited = n > 600 ? 600 : (n < -600 ? -600 : n);
    const ScalarFixed a = scalar_unpack(x);
    return scalar_pack(scalar_bits(x) & 0x80000000u, a.mantissa, a.exponent + limited);
}
