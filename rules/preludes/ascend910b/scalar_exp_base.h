// base ** x for log2(base) given with 61 bits after the point; |x| < 256. The value is
// fraction * 2**(whole - 62).
__aicore__ inline uint64_t scalar_exp_base(float x, uint64_t log2_base, int32_t& whole)
{
    const ScalarFixed a = scalar_unpack(x);
    // 56 bits after the point: |x| * log2(base) < 2**10 would not fit, so 52 are used.
    const uint64_t product = scalar_umul64hi(a.mantissa, log2_base);
    int64_t scaled = static_cast<int64_t>(scalar_down(product, -(a.exponent + 64 - 61 + 52)));
    if ((scalar_bits(x) >> 31) != 0) {
        scaled = -scaled;
    }
    whole = static_cast<int32_t>(scaled >> 52);
    return scalar_exp2_fraction(static_cast<uint64_t>(scaled) << 12);
}
