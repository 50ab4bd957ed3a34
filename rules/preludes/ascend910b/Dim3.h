// Dimensions of a CUDA grid or block.
struct Dim3 {
    unsigned int x, y, z;
    constexpr Dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
};
