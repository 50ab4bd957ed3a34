// Length of (x, y).
__aicore__ inline float scalar_hypotf(float x, float y)
{
    const uint32_t inf = 0x7f800000u;
    if ((scalar_bits(x) & 0x7fffffffu) == inf || (scalar_bits(y) & 0x7fffffffu) == inf) {
        return scalar_from_bits(inf);
    }
    if (x != x || y != y) {
        return x + y;
    }
    ScalarFixed a = scalar_unpack(x);
    ScalarFixed b = scalar_unpack(y);
    if (a.mantissa == 0 || b.mantissa == 0) {
        return scalar_fabsf(a.mantissa == 0 ? y : x);
    }
    if (a.exponent < b.exponent) {
        const ScalarFixed swapped = a;
        a = b;
        b = swapped;
    }
    // Squares of 24-bit mantissas, two bits below the top.
    const uint64_t square = (a.mantissa >> 40) * (a.mantissa >> 40) << 14;
    const uint64_t other = (b.mantissa >> 40) * (b.mantissa >> 40) << 14;
    const int32_t shift = 2 * (a.exponent - b.exponent);
    const uint64_t part = scalar_down(other, shift);
    const uint64_t lost = shift > 0 && (shift > 63 || (part << shift) != other) ? 1 : 0;
    const ScalarFixed root = scalar_root(scalar_normal((square + part) | lost, 2 * a.exponent + 66));
    return scalar_pack(0, root.mantissa, root.exponent);
}
