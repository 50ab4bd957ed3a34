// The smaller operand; a NaN loses against a number, +0 against -0.
__aicore__ inline float scalar_fminf(float x, float y)
{
    if (x != x) {
        return y;
    }
    if (x == y) {
        return scalar_from_bits(scalar_bits(x) | scalar_bits(y));
    }
    return y < x ? y : x;
}
