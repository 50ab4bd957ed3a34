// What can be said of a kernel; registers and code versions have no meaning here and are zero.
struct FunctionAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
template <class Kernel>
inline aclError functionAttributes(FunctionAttributes* found, Kernel)
{
    *found = FunctionAttributes{};
    int64_t most = 0;
    const aclError error = aclrtGetDeviceInfo(0, ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE, &most);
    found->maxThreadsPerBlock = 1024;
    found->maxDynamicSharedSizeBytes = static_cast<int>(most);
    return error;
}
