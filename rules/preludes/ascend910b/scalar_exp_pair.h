// (e**x - e**-x) / 2 with add false, (e**x + e**-x) / 2 with add true, of 0 <= x < 256.
__aicore__ inline float scalar_exp_pair(float x, bool add)
{
    int32_t up = 0;
    int32_t down = 0;
    const uint64_t rising = scalar_exp_base(x, 0x2e2a8eca5705fc2full, up);
    uint64_t falling = scalar_exp_base(-x, 0x2e2a8eca5705fc2full, down);
    falling = scalar_down(falling, up - down);
    return scalar_pack(0, add ? rising + falling : rising - falling, up - 63);
}
