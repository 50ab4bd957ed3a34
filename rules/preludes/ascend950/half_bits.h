// The bits of a half.
__aicore__ inline unsigned short half_bits(half x)
{
    union {
        half value;
        unsigned short bits;
    } u;
    u.value = x;
    return u.bits;
}
