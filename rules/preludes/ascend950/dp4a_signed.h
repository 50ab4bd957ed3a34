// z plus the dot product of the four signed bytes of x with those of y.
__aicore__ inline int dp4a_signed(int x, int y, int z)
{
    unsigned int sum = static_cast<unsigned int>(z);
    for (int shift = 0; shift < 32; shift += 8) {
        const int a = static_cast<signed char>(x >> shift);
        const int b = static_cast<signed char>(y >> shift);
        sum += static_cast<unsigned int>(a * b);
    }
    return static_cast<int>(sum);
}
