// x limited to [0, 1]; a NaN becomes 0.
__aicore__ inline float scalar_saturatef(float x)
{
    if (!(x > 0.0f)) {
        return 0.0f;
    }
    return x < 1.0f ? x : 1.0f;
}
