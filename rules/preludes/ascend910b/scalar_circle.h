// sqrt(1 - x**2) of |x| < 1, for |x| of at least 2**-7.
__aicore__ inline ScalarFixed scalar_circle(ScalarFixed x)
{
    const uint64_t fixed = scalar_down(x.mantissa, -(x.exponent + 31));
    return scalar_root(scalar_normal((1ull << 62) - fixed * fixed, -62));
}
