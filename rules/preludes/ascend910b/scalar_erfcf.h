// Complementary error function.
__aicore__ inline float scalar_erfcf(float x)
{
    if (x != x) {
        return x;
    }
    if (x >= 16.0f) {
        return 0.0f;
    }
    if (x <= -4.0f) {
        return 2.0f;
    }
    if (x >= 2.0f) {
        return scalar_erfc_tail(x);
    }
    if ((scalar_bits(x) << 1) == 0) {
        return 1.0f;
    }
    const ScalarFixed part = scalar_erf_part(scalar_fabsf(x));
    const uint64_t fixed = scalar_down(part.mantissa, -(part.exponent + 61));
    const uint64_t one = 1ull << 61;
    return scalar_pack(0, x < 0.0f ? one + fixed : one - fixed, -61);
}
