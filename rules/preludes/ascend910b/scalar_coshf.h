// Hyperbolic cosine.
__aicore__ inline float scalar_coshf(float x)
{
    const float size = scalar_fabsf(x);
    if (!(size < 256.0f)) {
        return size != size ? x : scalar_from_bits(0x7f800000u);
    }
    return scalar_exp_pair(size, true);
}
