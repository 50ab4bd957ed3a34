// Number of leading zeros; 64 for 0.
__aicore__ inline int32_t scalar_clz64(uint64_t x)
{
    int32_t zeros = 64;
    for (int32_t step = 32; step > 0; step >>= 1) {
        const uint64_t high = x >> step;
        if (high != 0) {
            zeros -= step;
            x = high;
        }
    }
    return zeros - static_cast<int32_t>(x);
}
