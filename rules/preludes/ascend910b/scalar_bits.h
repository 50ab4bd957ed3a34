// The bits of a float.
__aicore__ inline uint32_t scalar_bits(float x)
{
    union {
        float value;
        uint32_t bits;
    } u;
    u.value = x;
    return u.bits;
}
