// The float of these bits.
__aicore__ inline float scalar_from_bits(uint32_t bits)
{
    union {
        uint32_t bits;
        float value;
    } u;
    u.bits = bits;
    return u.value;
}
