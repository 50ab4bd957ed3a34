// The magnitude of x with the sign of y.
__aicore__ inline float scalar_copysignf(float x, float y)
{
    return scalar_from_bits((scalar_bits(x) & 0x7fffffffu) | (scalar_bits(y) & 0x80000000u));
}
