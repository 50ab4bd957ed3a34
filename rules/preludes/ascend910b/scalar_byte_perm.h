// Four bytes picked from the eight of (x, y), low byte first.
__aicore__ inline uint32_t scalar_byte_perm(uint32_t x, uint32_t y, uint32_t selector)
{
    const uint64_t both = (static_cast<uint64_t>(y) << 32) | x;
    uint32_t result = 0;
    for (uint32_t i = 0; i < 32; i += 8) {
        const uint32_t from = ((selector >> (i / 2)) & 7u) * 8u;
        result |= static_cast<uint32_t>((both >> from) & 0xffu) << i;
    }
    return result;
}
