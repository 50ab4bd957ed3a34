// The angle in [0, pi] of a point with coordinates |y| and |x|; left says that x is negative.
__aicore__ inline ScalarFixed scalar_atan_ratio(ScalarFixed y, ScalarFixed x, bool left)
{
    const uint64_t one = 1ull << 62;
    const bool steep = y.exponent > x.exponent || (y.exponent == x.exponent && y.mantissa > x.mantissa);
    ScalarFixed t = steep ? scalar_quotient(x, y) : scalar_quotient(y, x);
    // atan t = pi / 4 - atan((1 - t) / (1 + t)) brings t below tan(pi / 8).
    const uint64_t fixed = t.exponent >= -62 ? one : scalar_down(t.mantissa, -(t.exponent + 62));
    const bool turned = fixed > 0x1a827999fcef3242ull;
    if (turned) {
        t = scalar_quotient(scalar_normal(one - fixed, 0), scalar_normal(one + fixed, 0));
    }
    const uint64_t u = scalar_down(t.mantissa, -(t.exponent + 64));
    const uint64_t square = scalar_umul64hi(u, u);
    uint64_t g = 0;
    for (uint32_t i = 20; i > 0; --i) {
        g = one / (2 * i - 1) - scalar_umul64hi(square, g);
    }
    ScalarFixed r = scalar_normal(scalar_umul64hi(t.mantissa, g), t.exponent + 2);
    if (!turned && !steep && !left) {
        return r;
    }
    // From here on the angle is no small number: 61 bits after the point.
    uint64_t angle = scalar_down(r.mantissa, -(r.exponent + 61));
    if (turned) {
        angle = (0x3243f6a8885a308dull >> 1) - angle;
    }
    if (steep) {
        angle = (0x6487ed5110b4611aull >> 1) - angle;
    }
    if (left) {
        angle = 0x6487ed5110b4611aull - angle;
    }
    return scalar_normal(angle, -61);
}
