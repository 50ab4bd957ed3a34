// erfc(x) of 2 <= x < 16: e**-z / sqrt(pi) / (x + (1/2)/(x + 1/(x + (3/2)/(x + ...)))).
__aicore__ inline float scalar_erfc_tail(float x)
{
    const ScalarFixed a = scalar_unpack(x);
    const uint64_t fixed = scalar_down(a.mantissa, -(a.exponent + 56));
    uint64_t t = fixed;
    for (uint64_t k = 60; k > 0; --k) {
        t = fixed + scalar_ratio(k << 47, t);
    }
    int32_t whole = 0;
    const uint64_t fall = scalar_gauss(x, whole);
    const uint64_t top = scalar_umul64hi(fall << 1, 0x48375d410a6db447ull << 1);
    const ScalarFixed r = scalar_quotient(scalar_normal(top, whole - 62 - 1 - 64 + 64), scalar_normal(t, -56));
    return scalar_pack(0, r.mantissa, r.exponent);
}
