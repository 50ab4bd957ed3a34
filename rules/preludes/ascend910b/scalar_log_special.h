// What a logarithm gives for zero, negative numbers, infinity and NaN.
__aicore__ inline float scalar_log_special(float x)
{
    if ((scalar_bits(x) << 1) == 0) {
        return scalar_from_bits(0xff800000u);
    }
    return x < 0.0f ? scalar_from_bits(0x7fffffffu) : x + x;
}
