// One block at a time runs on a vector core, if it fits.
template <class Kernel>
aclError residentBlocks(int* blocks, Kernel, int threads, size_t sharedBytes)
{
    int64_t most = 0;
    const aclError error = aclrtGetDeviceInfo(0, ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE, &most);
    *blocks = threads > 0 && threads <= 2048 && static_cast<int64_t>(sharedBytes) <= most ? 1 : 0;
    return error;
}
