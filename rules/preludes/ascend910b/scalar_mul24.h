// Product of the low 24 bits of two signed integers, low 32 bits.
__aicore__ inline int32_t scalar_mul24(int32_t x, int32_t y)
{
    const int32_t a = static_cast<int32_t>(static_cast<uint32_t>(x) << 8) >> 8;
    const int32_t b = static_cast<int32_t>(static_cast<uint32_t>(y) << 8) >> 8;
    return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}
