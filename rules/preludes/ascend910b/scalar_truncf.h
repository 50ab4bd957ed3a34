// x without its fraction; the sign of a zero is x's.
__aicore__ inline float scalar_truncf(float x)
{
    const uint32_t bits = scalar_bits(x);
    const int32_t exponent = static_cast<int32_t>((bits >> 23) & 0xffu) - 127;
    if (exponent >= 23) {
        return x;
    }
    if (exponent < 0) {
        return scalar_from_bits(bits & 0x80000000u);
    }
    return scalar_from_bits(bits & ~(0x7fffffu >> exponent));
}
