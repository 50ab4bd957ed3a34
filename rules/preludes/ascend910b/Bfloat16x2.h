// Two values of bfloat16 in host code, as CUDA lays them out.
struct alignas(4) Bfloat16x2 {
    bfloat16_t x, y;
};
