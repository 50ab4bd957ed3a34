// Hyperbolic sine.
__aicore__ inline float scalar_sinhf(float x)
{
    const uint32_t sign = scalar_bits(x) & 0x80000000u;
    const float size = scalar_fabsf(x);
    if (!(size < 256.0f)) {
        return size != size ? x : scalar_from_bits(sign | 0x7f800000u);
    }
    if (size >= 0.5f) {
        return scalar_copysignf(scalar_exp_pair(size, false), x);
    }
    const uint64_t one = 1ull << 62;
    const ScalarFixed a = scalar_unpack(x);
    const uint64_t t = scalar_down(a.mantissa, -(a.exponent + 64));
    const uint64_t square = scalar_umul64hi(t, t);
    uint64_t g = one;
    for (uint32_t k = 6; k > 0; --k) {
        g = one + scalar_umul64hi(square, g) / (2 * k * (2 * k + 1));
    }
    return scalar_pack(sign, scalar_umul64hi(a.mantissa, g), a.exponent + 2);
}
