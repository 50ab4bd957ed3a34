// x rounded to an integer, halves away from zero.
__aicore__ inline float scalar_roundf(float x)
{
    const float size = scalar_fabsf(x);
    const float whole = scalar_truncf(size);
    return scalar_copysignf(size - whole >= 0.5f ? whole + 1.0f : whole, x);
}
