// mantissa * 2**exponent with its top bit moved to bit 63.
__aicore__ inline ScalarFixed scalar_normal(uint64_t mantissa, int32_t exponent)
{
    if (mantissa == 0) {
        return ScalarFixed{0, 0};
    }
    const int32_t zeros = scalar_clz64(mantissa);
    return ScalarFixed{mantissa << zeros, exponent - zeros};
}
