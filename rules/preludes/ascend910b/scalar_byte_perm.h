// Four bytes picked from the eight of (x, y), low byte first. Bit 3 of a selector nibble spreads the
// sign of the byte, as the prmt instruction does.
__aicore__ inline uint32_t scalar_byte_perm(uint32_t x, uint32_t y, uint32_t selector)
{
    const uint64_t both = (static_cast<uint64_t>(y) << 32) | x;
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t nibble = (selector >> (4 * i)) & 15u;
        uint32_t byte = static_cast<uint32_t>(both >> (8 * (nibble & 7u))) & 0xffu;
        if (nibble > 7u) {
            byte = (byte >> 7) * 0xffu;
        }
        result |= byte << (8 * i);
    }
    return result;
}
