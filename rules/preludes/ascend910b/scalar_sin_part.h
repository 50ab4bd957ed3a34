// sin(r) of 0 <= r < 0.8.
__aicore__ inline ScalarFixed scalar_sin_part(ScalarFixed r)
{
    const uint64_t one = 1ull << 62;
    const uint64_t fixed = scalar_down(r.mantissa, -(r.exponent + 64));
    const uint64_t square = scalar_umul64hi(fixed, fixed);
    uint64_t g = one;
    for (uint32_t k = 8; k > 0; --k) {
        g = one - scalar_umul64hi(square, g) / (2 * k * (2 * k + 1));
    }
    return scalar_normal(scalar_umul64hi(r.mantissa, g), r.exponent + 2);
}
