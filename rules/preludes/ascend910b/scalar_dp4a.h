// z plus the dot product of the four signed bytes of x with those of y.
__aicore__ inline int32_t scalar_dp4a(int32_t x, int32_t y, int32_t z)
{
    uint32_t sum = static_cast<uint32_t>(z);
    for (int32_t shift = 0; shift < 32; shift += 8) {
        const int32_t a = static_cast<int8_t>(x >> shift);
        const int32_t b = static_cast<int8_t>(y >> shift);
        sum += static_cast<uint32_t>(a * b);
    }
    return static_cast<int32_t>(sum);
}
