// Takes quarter turns off |x|: a product with 96 bits of 2 / pi, those above 4 turns left out.
__aicore__ inline ScalarAngle scalar_angle(float x)
{
    const ScalarFixed a = scalar_unpack(x);
    if (scalar_fabsf(x) < 0.7853981f) {
        return ScalarAngle{0, a, false};
    }
    const uint32_t words[8] = {0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                               0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};
    const int32_t first = a.exponent + 40 + 30;
    const int32_t at = first >> 5;
    const int32_t shift = first & 31;
    uint64_t window[3];
    for (int32_t i = 0; i < 3; ++i) {
        const uint64_t next = at + i + 1 < 8 ? words[at + i + 1] : 0u;
        window[i] = ((((static_cast<uint64_t>(words[at + i]) << 32) | next) << shift) >> 32) & 0xffffffffu;
    }
    const uint64_t m = a.mantissa >> 40;
    const uint64_t low = m * window[2];
    const uint64_t middle = m * window[1] + (low >> 32);
    const uint64_t high = (m * window[0] + (middle >> 32)) & 0xffffffffu;
    uint32_t quarters = static_cast<uint32_t>(high >> 30);
    uint64_t fraction = (high << 34) | ((middle & 0xffffffffu) << 2) | ((low & 0xffffffffu) >> 30);
    const bool negative = (fraction >> 63) != 0;
    if (negative) {
        fraction = ~fraction + 1;
        ++quarters;
    }
    const ScalarFixed part = scalar_normal(fraction, -64);
    const uint64_t radians = scalar_umul64hi(part.mantissa, 0xc90fdaa22168c235ull);
    return ScalarAngle{quarters & 3u, scalar_normal(radians, part.exponent + 1), negative};
}
