// The smallest integer not below x.
__aicore__ inline float scalar_ceilf(float x)
{
    const float whole = scalar_truncf(x);
    return whole < x ? scalar_copysignf(whole + 1.0f, x) : whole;
}
