// Pins host memory (in whole pages) and maps it when CUDA's flag for that is set.
inline aclError hostRegister(void* pointer, size_t size, unsigned flags)
{
    const unsigned mapped = (flags & 2u) != 0 ? ACL_HOST_REG_MAPPED : 0u;
    return aclrtHostRegisterV2(pointer, size, mapped | ACL_HOST_REG_PINNED);
}
