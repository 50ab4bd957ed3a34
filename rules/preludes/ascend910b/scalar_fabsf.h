// Absolute value; the sign bit of zeros and NaNs is cleared too.
__aicore__ inline float scalar_fabsf(float x)
{
    return scalar_from_bits(scalar_bits(x) & 0x7fffffffu);
}
