// x rounded to an integer, halves to even.
__aicore__ inline float scalar_rintf(float x)
{
    const float size = scalar_fabsf(x);
    const float whole = scalar_truncf(size);
    const float rest = size - whole;
    const bool odd = rest == 0.5f && scalar_truncf(whole * 0.5f) * 2.0f != whole;
    return scalar_copysignf(rest > 0.5f || odd ? whole + 1.0f : whole, x);
}
