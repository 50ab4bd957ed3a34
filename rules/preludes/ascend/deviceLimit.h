// Limits that an NPU has too; the others are refused.
struct DeviceLimit {
    enum Name {
        kStackSize, kPrintfFifoSize, kMallocHeapSize, kDevRuntimeSyncDepth, kDevRuntimePendingLaunchCount,
        kMaxL2FetchGranularity, kPersistingL2CacheSize,
    };
};
inline aclError deviceLimit(size_t* value, DeviceLimit::Name name)
{
    switch (name) {
        case DeviceLimit::kStackSize: return aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, value);
        case DeviceLimit::kPrintfFifoSize: return aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE, value);
        default: return ACL_ERROR_FEATURE_UNSUPPORTED;
    }
}
