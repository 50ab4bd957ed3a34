// Cube root.
__aicore__ inline float scalar_cbrtf(float x)
{
    if ((scalar_bits(x) << 1) == 0 || (scalar_bits(x) & 0x7f800000u) == 0x7f800000u) {
        return x;
    }
    bool below = false;
    ScalarFixed log = scalar_log_base(scalar_unpack(x), 1LL << 54, 0x5c551d94ae0bf85eull, below);
    log.mantissa /= 3;
    return scalar_exp2_fixed(scalar_bits(x) & 0x80000000u, log, below);
}
