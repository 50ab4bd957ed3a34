// Square root of a number in fixed point; the lowest bit is set when the root is not exact.
__aicore__ inline ScalarFixed scalar_root(ScalarFixed x)
{
    // An even exponent makes the root's exponent whole.
    if ((x.exponent & 1) != 0) {
        x.mantissa >>= 1;
        x.exponent += 1;
    }
    const uint64_t root = scalar_isqrt(x.mantissa);
    const uint64_t sticky = root * root == x.mantissa ? 0 : 1;
    return scalar_normal((root << 1) | sticky, x.exponent / 2 - 1);
}
