// z plus the dot product of the four bytes of x with those of y.
__aicore__ inline uint32_t scalar_dp4a_unsigned(uint32_t x, uint32_t y, uint32_t z)
{
    for (int32_t shift = 0; shift < 32; shift += 8) {
        z += ((x >> shift) & 0xffu) * ((y >> shift) & 0xffu);
    }
    return z;
}
