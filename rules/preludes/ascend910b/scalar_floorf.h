// The largest integer not above x.
__aicore__ inline float scalar_floorf(float x)
{
    const float whole = scalar_truncf(x);
    return whole > x ? whole - 1.0f : whole;
}
