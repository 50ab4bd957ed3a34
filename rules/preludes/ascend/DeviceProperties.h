// What CUDA programs ask of a device; fields without a meaning on an NPU are zero.
struct DeviceProperties {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, totalConstMem, memPitch;
    int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock;
    int maxThreadsPerMultiProcessor, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor;
    int multiProcessorCount, l2CacheSize, memoryClockRate, memoryBusWidth, concurrentKernels;
    int integrated, canMapHostMemory, unifiedAddressing, managedMemory, computeMode, ECCEnabled;
    int pciBusID, pciDeviceID, asyncEngineCount, cooperativeLaunch, concurrentManagedAccess;
};
inline aclError deviceProperties(DeviceProperties* properties, int device)
{
    *properties = DeviceProperties{};
    const auto ask = [device](aclrtDevAttr attribute) {
        int64_t value = 0;
        aclrtGetDeviceInfo(static_cast<uint32_t>(device), attribute, &value);
        return value;
    };
    uint32_t devices = 0;
    const aclError error = aclrtGetDeviceCount(&devices);
    if (error != ACL_SUCCESS || device < 0 || static_cast<uint32_t>(device) >= devices) {
        return error != ACL_SUCCESS ? error : ACL_ERROR_RT_INVALID_DEVICEID;
    }
    std::snprintf(properties->name, sizeof(properties->name), "%s", aclrtGetSocName());
    properties->totalGlobalMem = ask(ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE);
    properties->sharedMemPerBlock = ask(ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE);
    properties->sharedMemPerMultiprocessor = properties->sharedMemPerBlock;
    properties->multiProcessorCount = static_cast<int>(ask(ACL_DEV_ATTR_VECTOR_CORE_NUM));
    properties->l2CacheSize = static_cast<int>(ask(ACL_DEV_ATTR_L2_CACHE_SIZE));
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = 1024;
    properties->maxThreadsPerMultiProcessor = 2048;
    const int threads[] = {1024, 1024, 64};
    const int blocks[] = {2147483647, 65535, 65535};
    for (int i = 0; i < 3; ++i) {
        properties->maxThreadsDim[i] = threads[i];
        properties->maxGridSize[i] = blocks[i];
    }
    return ACL_SUCCESS;
}
