// The magnitude of a finite float, normalised.
__aicore__ inline ScalarFixed scalar_unpack(float x)
{
    const uint32_t bits = scalar_bits(x) & 0x7fffffffu;
    const uint32_t field = bits >> 23;
    const uint64_t mantissa = field == 0 ? bits : (bits & 0x7fffffu) | 0x800000u;
    const int32_t exponent = static_cast<int32_t>(field == 0 ? 1 : field) - 150;
    const int32_t zeros = scalar_clz64(mantissa);
    if (mantissa == 0) {
        return ScalarFixed{0, 0};
    }
    return ScalarFixed{mantissa << zeros, exponent - zeros};
}
