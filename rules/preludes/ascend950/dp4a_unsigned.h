// z plus the dot product of the four bytes of x with those of y.
__aicore__ inline unsigned int dp4a_unsigned(unsigned int x, unsigned int y, unsigned int z)
{
    for (int shift = 0; shift < 32; shift += 8) {
        z += ((x >> shift) & 0xffu) * ((y >> shift) & 0xffu);
    }
    return z;
}
