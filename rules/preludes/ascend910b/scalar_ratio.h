// floor(n * 2**64 / d) for n < d.
__aicore__ inline uint64_t scalar_ratio(uint64_t n, uint64_t d)
{
    const int32_t zeros = scalar_clz64(d);
    d <<= zeros;
    n <<= zeros;
    const uint64_t high = d >> 32;
    const uint64_t low = d & 0xffffffffu;
    uint64_t result = 0;
    for (int32_t digit = 0; digit < 2; ++digit) {
        uint64_t q = n / high;
        uint64_t r = n - q * high;
        while ((r >> 32) == 0 && ((q >> 32) != 0 || q * low > (r << 32))) {
            --q;
            r += high;
        }
        n = (n << 32) - q * d;
        result = (result << 32) + q;
    }
    return result;
}
