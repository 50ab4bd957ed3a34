// mantissa * 2**exponent as a float, rounded to nearest even; sign is 0 or 0x80000000.
__aicore__ inline float scalar_pack(uint32_t sign, uint64_t mantissa, int32_t exponent)
{
    if (mantissa == 0) {
        return scalar_from_bits(sign);
    }
    const int32_t zeros = scalar_clz64(mantissa);
    mantissa <<= zeros;
    int32_t biased = exponent - zeros + 63 + 127;
    if (biased >= 255) {
        return scalar_from_bits(sign | 0x7f800000u);
    }
    int32_t drop = 40;
    if (biased < 1) {
        drop += 1 - biased;
        biased = 1;
        if (drop > 64) {
            return scalar_from_bits(sign);
        }
    } else {
        biased += 1;
    }
    // Bit 23 of a normal number is implicit, so it is added to the exponent field: one less above.
    uint64_t kept = drop < 64 ? mantissa >> drop : 0;
    const uint64_t rest = drop < 64 ? mantissa << (64 - drop) : mantissa;
    const uint64_t half = 1ull << 63;
    if (rest > half || (rest == half && (kept & 1) != 0)) {
        ++kept;
    }
    const uint32_t field = drop == 40 && biased >= 2 ? static_cast<uint32_t>(biased - 2) << 23 : 0u;
    return scalar_from_bits(sign | (field + static_cast<uint32_t>(kept)));
}
