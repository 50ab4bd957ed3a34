// x as uint64, truncated; out of range to the nearest limit, NaN to 2**63.
__aicore__ inline uint64_t scalar_to_ulong(float x)
{
    if (x != x) {
        return 1ull << 63;
    }
    if (!(x > 0.0f)) {
        return 0;
    }
    return x >= 18446744073709551616.0f ? ~0ull : static_cast<uint64_t>(x);
}
