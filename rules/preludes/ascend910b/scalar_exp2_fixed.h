// base ** y for base = 2**(mantissa * 2**exponent), negated when below is set.
__aicore__ inline float scalar_exp2_fixed(uint32_t sign, ScalarFixed y, bool below)
{
    if (y.mantissa != 0 && y.exponent + 63 >= 9) {
        return scalar_from_bits(below ? sign : sign | 0x7f800000u);
    }
    int64_t scaled = static_cast<int64_t>(scalar_down(y.mantissa, -(y.exponent + 52)));
    scaled = below ? -scaled : scaled;
    const int32_t whole = static_cast<int32_t>(scaled >> 52);
    return scalar_pack(sign, scalar_exp2_fraction(static_cast<uint64_t>(scaled) << 12), whole - 62);
}
