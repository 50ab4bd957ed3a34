// log of a positive number to the base of which log(2) is given with 54 bits after the point and
// 1 / ln(base) with 62. negative is set for numbers below 1.
__aicore__ inline ScalarFixed scalar_log_base(ScalarFixed x, int64_t log_2, uint64_t per_ln, bool& negative)
{
    // f in [sqrt(1/2), sqrt(2)) and x = f * 2**k.
    int64_t k = x.exponent + 63;
    const uint64_t f = x.mantissa >> 1;
    uint64_t one = 1ull << 62;
    if (f > 0x5a827999fcef3242ull) {
        one = 1ull << 63;
        ++k;
    }
    // ln f = 2 s (1 + s**2 / 3 + s**4 / 5 + ...) with s = (f - 1) / (f + 1).
    const bool below = f < one;
    const uint64_t n = below ? one - f : f - one;
    ScalarFixed part{0, 0};
    if (n != 0) {
        const ScalarFixed s = scalar_quotient(scalar_normal(n, 0), scalar_normal(f + (one - 1) + 1, 0));
        const uint64_t fixed = scalar_down(s.mantissa, -(s.exponent + 64));
        const uint64_t square = scalar_umul64hi(fixed, fixed);
        uint64_t g = 0;
        for (uint32_t i = 12; i > 0; --i) {
            g = (1ull << 62) / (2 * i - 1) + scalar_umul64hi(square, g);
        }
        // g counts 62 bits after the point and per_ln as many; ln f doubles s.
        const uint64_t ln = scalar_umul64hi(s.mantissa, g);
        part = scalar_normal(scalar_umul64hi(ln, per_ln), s.exponent + 5);
    }
    if (k == 0) {
        negative = below;
        return part;
    }
    int64_t total = static_cast<int64_t>(scalar_down(part.mantissa, -(part.exponent + 54)));
    total = k * log_2 + (below ? -total : total);
    negative = total < 0;
    return scalar_normal(static_cast<uint64_t>(negative ? -total : total), -54);
}
