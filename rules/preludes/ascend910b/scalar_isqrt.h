// Square root of x, rounded down.
__aicore__ inline uint64_t scalar_isqrt(uint64_t x)
{
    uint64_t root = 0;
    for (uint64_t bit = 1ull << 62; bit != 0; bit >>= 2) {
        const uint64_t trial = root + bit;
        root >>= 1;
        if (x >= trial) {
            x -= trial;
            root += bit;
        }
    }
    return root;
}
