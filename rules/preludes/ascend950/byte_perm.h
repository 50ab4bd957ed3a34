// Four bytes picked from the eight of (x, y), low byte first. Bit 3 of a selector nibble spreads the
// sign of the byte, as the prmt instruction does.
__aicore__ inline unsigned int byte_perm(unsigned int x, unsigned int y, unsigned int selector)
{
    const unsigned long long both = (static_cast<unsigned long long>(y) << 32) | x;
    unsigned int result = 0;
    for (unsigned int i = 0; i < 4; ++i) {
        const unsigned int nibble = (selector >> (4 * i)) & 15u;
        unsigned int byte = static_cast<unsigned int>(both >> (8 * (nibble & 7u))) & 0xffu;
        if (nibble > 7u) {
            byte = (byte >> 7) * 0xffu;
        }
        result |= byte << (8 * i);
    }
    return result;
}
