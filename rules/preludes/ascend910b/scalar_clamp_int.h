// x limited to [low, high].
__aicore__ inline int32_t scalar_clamp_int(int32_t x, int32_t low, int32_t high)
{
    return x < low ? low : (x > high ? high : x);
}
