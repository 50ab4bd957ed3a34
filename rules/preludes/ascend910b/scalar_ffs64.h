// One more than the index of the lowest set bit; 0 for 0.
__aicore__ inline int32_t scalar_ffs64(uint64_t x)
{
    return x == 0 ? 0 : 64 - scalar_clz64(x & (~x + 1));
}
