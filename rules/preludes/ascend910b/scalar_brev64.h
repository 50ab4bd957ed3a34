// The bits in reverse order.
__aicore__ inline uint64_t scalar_brev64(uint64_t x)
{
    const uint32_t high = scalar_brev32(static_cast<uint32_t>(x));
    return (static_cast<uint64_t>(high) << 32) | scalar_brev32(static_cast<uint32_t>(x >> 32));
}
