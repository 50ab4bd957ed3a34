// x >> shift for any shift of at least 0.
__aicore__ inline uint64_t scalar_down(uint64_t x, int32_t shift)
{
    return shift < 64 ? x >> shift : 0;
}
