// 10 to the power x.
__aicore__ inline float scalar_exp10f(float x)
{
    if (!(scalar_fabsf(x) < 256.0f)) {
        return x != x ? x : (x > 0.0f ? scalar_from_bits(0x7f800000u) : 0.0f);
    }
    int32_t whole = 0;
    const uint64_t fraction = scalar_exp_base(x, 0x6a4d3c25e68dc57full, whole);
    return scalar_pack(0, fraction, whole - 62);
}
