// x as int64, truncated; out of range to the nearest limit, NaN to the lowest.
__aicore__ inline int64_t scalar_to_long(float x)
{
    const int64_t lowest = static_cast<int64_t>(1ull << 63);
    if (x >= 9223372036854775808.0f) {
        return ~lowest;
    }
    return x > -9223372036854775808.0f ? static_cast<int64_t>(x) : lowest;
}
