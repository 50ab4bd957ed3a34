// Sizes and positions of copies in three dimensions, with CUDA's fields. Widths are bytes.
struct Extent {
    size_t width, height, depth;
};
struct Position {
    size_t x, y, z;
};
struct PitchedPointer {
    void* ptr;
    size_t pitch, xsize, ysize;
};
struct Copy3d {
    void* srcArray;
    Position srcPos;
    PitchedPointer srcPtr;
    void* dstArray;
    Position dstPos;
    PitchedPointer dstPtr;
    Extent extent;
    aclrtMemcpyKind kind;
};
inline char* placeIn(const PitchedPointer& memory, const Position& at, size_t slice)
{
    const size_t row = (at.z + slice) * memory.ysize + at.y;
    return static_cast<char*>(memory.ptr) + row * memory.pitch + at.x;
}
