// 2 to the power of a fraction of 64 bits, as a number in [1, 2) with 62 bits after the point.
__aicore__ inline uint64_t scalar_exp2_fraction(uint64_t fraction)
{
    const uint64_t one = 1ull << 62;
    const uint64_t t = scalar_umul64hi(fraction, 0xb17217f7d1cf79acull);
    uint64_t r = one;
    for (uint32_t k = 16; k > 0; --k) {
        r = one + scalar_umul64hi(t, r) / k;
    }
    return r;
}
