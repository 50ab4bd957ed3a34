// Pinned host memory; with CUDA's flag for mapped memory also visible to the device.
inline aclError hostAlloc(void** pointer, size_t size, unsigned flags)
{
    const aclError error = aclrtMallocHost(pointer, size);
    if (error != ACL_SUCCESS || (flags & 2u) == 0) {
        return error;
    }
    return aclrtHostRegisterV2(*pointer, size, ACL_HOST_REG_MAPPED);
}
