// 2 to the power x.
__aicore__ inline float scalar_exp2f(float x)
{
    if (!(scalar_fabsf(x) < 256.0f)) {
        return x != x ? x : (x > 0.0f ? scalar_from_bits(0x7f800000u) : 0.0f);
    }
    int32_t whole = 0;
    const uint64_t fraction = scalar_exp_base(x, 1ull << 61, whole);
    return scalar_pack(0, fraction, whole - 62);
}
