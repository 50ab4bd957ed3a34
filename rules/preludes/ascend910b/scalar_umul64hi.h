// The high 64 bits of an unsigned product.
__aicore__ inline uint64_t scalar_umul64hi(uint64_t x, uint64_t y)
{
    const uint64_t x0 = x & 0xffffffffu;
    const uint64_t x1 = x >> 32;
    const uint64_t y0 = y & 0xffffffffu;
    const uint64_t y1 = y >> 32;
    const uint64_t middle = x1 * y0 + ((x0 * y0) >> 32);
    const uint64_t other = x0 * y1 + (middle & 0xffffffffu);
    return x1 * y1 + (middle >> 32) + (other >> 32);
}
