// |e**x - 1| of |x| < 0.5.
__aicore__ inline ScalarFixed scalar_expm1_small(float x)
{
    const uint64_t one = 1ull << 62;
    const ScalarFixed a = scalar_unpack(x);
    const uint64_t t = scalar_down(a.mantissa, -(a.exponent + 64));
    const bool negative = (scalar_bits(x) >> 31) != 0;
    uint64_t g = one;
    for (uint32_t k = 13; k > 1; --k) {
        const uint64_t term = scalar_umul64hi(t, g) / k;
        g = negative ? one - term : one + term;
    }
    return scalar_normal(scalar_umul64hi(a.mantissa, g), a.exponent + 2);
}
