// x as int32, truncated; out of range to the nearest limit, NaN to 0.
__aicore__ inline int32_t scalar_to_int(float x)
{
    if (x != x) {
        return 0;
    }
    if (x >= 2147483648.0f) {
        return 2147483647;
    }
    return x <= -2147483648.0f ? -2147483647 - 1 : static_cast<int32_t>(x);
}
