// Rows padded to 512 bytes, slices one after the other.
inline aclError malloc3d(PitchedPointer* pointer, const Extent& extent)
{
    const size_t pitch = (extent.width + 511) / 512 * 512;
    *pointer = PitchedPointer{nullptr, pitch, extent.width, extent.height};
    return aclrtMalloc(&pointer->ptr, pitch * extent.height * extent.depth, ACL_MEM_MALLOC_HUGE_FIRST);
}
