// asin(x) of |x| < 2**-7.
__aicore__ inline ScalarFixed scalar_asin_small(ScalarFixed x)
{
    const uint64_t fixed = scalar_down(x.mantissa, -(x.exponent + 64));
    const uint64_t square = scalar_umul64hi(fixed, fixed);
    const uint64_t one = 1ull << 62;
    uint64_t g = one / 2688 * 81 + scalar_umul64hi(square, one / 1408 * 31);
    g = one / 112 * 5 + scalar_umul64hi(square, one / 1152 * 35);
    g = one / 40 * 3 + scalar_umul64hi(square, g);
    g = one / 6 + scalar_umul64hi(square, g);
    g = one + scalar_umul64hi(square, g);
    return scalar_normal(scalar_umul64hi(x.mantissa, g), x.exponent + 2);
}
