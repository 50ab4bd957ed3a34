// Rows padded to 512 bytes, the alignment at which global memory is fastest.
inline aclError mallocPitch(void** pointer, size_t* pitch, size_t width, size_t height)
{
    *pitch = (width + 511) / 512 * 512;
    return aclrtMalloc(pointer, *pitch * height, ACL_MEM_MALLOC_HUGE_FIRST);
}
