// x to the power y, with the special cases of C99.
__aicore__ inline float scalar_powf(float x, float y)
{
    const uint32_t inf = 0x7f800000u;
    const uint32_t size_x = scalar_bits(x) & 0x7fffffffu;
    const uint32_t size_y = scalar_bits(y) & 0x7fffffffu;
    if (x == 1.0f || size_y == 0) {
        return 1.0f;
    }
    if (x != x || y != y) {
        return x + y;
    }
    const bool up = (scalar_bits(y) >> 31) == 0;
    if (size_y == inf) {
        return size_x == 0x3f800000u ? 1.0f : scalar_from_bits((size_x > 0x3f800000u) == up ? inf : 0u);
    }
    const bool whole = scalar_truncf(y) == y;
    const bool odd = whole && size_y < 0x4b800000u && scalar_truncf(y * 0.5f) * 2.0f != y;
    const uint32_t sign = odd ? scalar_bits(x) & 0x80000000u : 0u;
    if (size_x == 0 || size_x == inf) {
        return scalar_from_bits(sign | ((size_x == inf) == up ? inf : 0u));
    }
    if (x < 0.0f && !whole) {
        return scalar_from_bits(0x7fffffffu);
    }
    bool below = false;
    const ScalarFixed log = scalar_log_base(scalar_unpack(x), 1LL << 54, 0x5c551d94ae0bf85eull, below);
    const ScalarFixed power = scalar_unpack(y);
    const ScalarFixed product =
        scalar_normal(scalar_umul64hi(log.mantissa, power.mantissa), log.exponent + power.exponent + 64);
    return scalar_exp2_fixed(sign, product, below == up);
}
