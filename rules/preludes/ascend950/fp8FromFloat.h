// A float as an 8-bit one (E4M3 or E5M2), rounded to nearest even.
__aicore__ inline uint8_t fp8FromFloat(float value, bool saturate, bool e4m3)
{
    const uint32_t bits = __float_as_uint(value);
    const uint32_t sign = bits >> 24 & 0x80u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) {
        return e4m3 ? 0x7fu : 0x7eu;
    }
    const int kept = e4m3 ? 3 : 2;
    const int exponent = (int)(size >> 23) - 127 + (e4m3 ? 7 : 15);
    uint32_t fraction = size & 0x7fffffu;
    int shift = 23 - kept;
    uint32_t code = 0;
    if (exponent >= 1) {
        code = (uint32_t)exponent << kept;
    } else {
        fraction |= 0x800000u;
        shift += 1 - exponent;
    }
    if (shift <= 24) {
        const uint32_t half = 1u << (shift - 1), rest = fraction & (2u * half - 1u);
        code += fraction >> shift;
        code += rest > half || (rest == half && (code & 1u) != 0) ? 1u : 0u;
    }
    const uint32_t largest = e4m3 ? 0x7eu : 0x7bu;
    if (code > largest) {
        code = saturate ? largest : (e4m3 ? 0x7fu : 0x7cu);
    }
    return (uint8_t)(sign | code);
}
