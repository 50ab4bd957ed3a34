// The high 64 bits of a signed product.
__aicore__ inline int64_t scalar_mul64hi(int64_t x, int64_t y)
{
    uint64_t high = scalar_umul64hi(static_cast<uint64_t>(x), static_cast<uint64_t>(y));
    if (x < 0) {
        high -= static_cast<uint64_t>(y);
    }
    if (y < 0) {
        high -= static_cast<uint64_t>(x);
    }
    return static_cast<int64_t>(high);
}
