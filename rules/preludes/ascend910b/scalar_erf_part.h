// erf(x) of 0 < x < 4, normalised: 2 / sqrt(pi) x e**-z (1 + 2z/3 + (2z)**2/15 + ...), z = x**2.
__aicore__ inline ScalarFixed scalar_erf_part(float x)
{
    const ScalarFixed a = scalar_unpack(x);
    const uint64_t m = a.mantissa >> 40;
    const ScalarFixed z = scalar_normal(m * m, 2 * (a.exponent + 40));
    const uint64_t fixed = scalar_down(z.mantissa, -(z.exponent + 58));
    // Terms with 38 bits after the point: the sum stays below 2**23, a term below 2**19.
    uint64_t term = 1ull << 38;
    uint64_t sum = term;
    for (uint32_t k = 1; k < 120 && term != 0; ++k) {
        term = scalar_umul64hi(term << 7, fixed) / (2 * k + 1);
        sum += term;
    }
    int32_t whole = 0;
    const uint64_t fall = scalar_gauss(x, whole);
    const ScalarFixed series = scalar_normal(sum, -38);
    uint64_t r = scalar_umul64hi(series.mantissa, fall << 1);
    int32_t exponent = series.exponent + whole - 62 - 1 + 64;
    r = scalar_umul64hi(r, a.mantissa);
    exponent += a.exponent + 64;
    const ScalarFixed scaled = scalar_normal(r, exponent);
    return scalar_normal(scalar_umul64hi(scaled.mantissa, 0x48375d410a6db447ull << 1), scaled.exponent + 1);
}
