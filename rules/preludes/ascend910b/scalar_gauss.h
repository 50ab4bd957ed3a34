// e**-z for z = x**2 of |x| < 16; the value is fraction * 2**(whole - 62).
__aicore__ inline uint64_t scalar_gauss(float x, int32_t& whole)
{
    const ScalarFixed a = scalar_unpack(x);
    const uint64_t m = a.mantissa >> 40;
    // z with 55 bits after the point, then times log2(e) with 62.
    const ScalarFixed z = scalar_normal(m * m, 2 * (a.exponent + 40));
    const uint64_t product = scalar_umul64hi(z.mantissa, 0x5c551d94ae0bf85eull);
    const int64_t scaled = -static_cast<int64_t>(scalar_down(product, -(z.exponent + 64 - 62 + 54)));
    whole = static_cast<int32_t>(scaled >> 54);
    return scalar_exp2_fraction(static_cast<uint64_t>(scaled) << 10);
}
