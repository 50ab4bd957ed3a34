// x as uint32, truncated; out of range to the nearest limit, NaN to 0.
__aicore__ inline uint32_t scalar_to_uint(float x)
{
    if (!(x > 0.0f)) {
        return 0;
    }
    return x >= 4294967296.0f ? 0xffffffffu : static_cast<uint32_t>(x);
}
