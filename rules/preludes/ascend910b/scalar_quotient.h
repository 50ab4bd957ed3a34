// n / d of two numbers in fixed point; d is not 0.
__aicore__ inline ScalarFixed scalar_quotient(ScalarFixed n, ScalarFixed d)
{
    if (n.mantissa == 0) {
        return n;
    }
    return scalar_normal(scalar_ratio(n.mantissa >> 1, d.mantissa), n.exponent - d.exponent - 63);
}
