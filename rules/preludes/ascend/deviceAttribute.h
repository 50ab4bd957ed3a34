// Attributes of a device under CUDA's numbers; those without a meaning on an NPU are refused.
struct DeviceAttribute {
    enum Name {
        kMaxThreadsPerBlock = 1, kMaxBlockDimX = 2, kMaxBlockDimY = 3, kMaxBlockDimZ = 4, kMaxGridDimX = 5,
        kMaxGridDimY = 6, kMaxGridDimZ = 7, kMaxSharedMemoryPerBlock = 8, kTotalConstantMemory = 9,
        kWarpSize = 10, kMaxPitch = 11, kMaxRegistersPerBlock = 12, kClockRate = 13, kTextureAlignment = 14,
        kGpuOverlap = 15, kMultiProcessorCount = 16, kKernelExecTimeout = 17, kIntegrated = 18,
        kCanMapHostMemory = 19, kComputeMode = 20, kConcurrentKernels = 31, kEccEnabled = 32, kPciBusId =
        33, kPciDeviceId = 34, kMemoryClockRate = 36, kGlobalMemoryBusWidth = 37, kL2CacheSize = 38,
        kMaxThreadsPerMultiProcessor = 39, kAsyncEngineCount = 40, kUnifiedAddressing = 41,
        kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76, kStreamPrioritiesSupported = 78,
        kGlobalL1CacheSupported = 79, kLocalL1CacheSupported = 80, kMaxSharedMemoryPerMultiprocessor = 81,
        kMaxRegistersPerMultiprocessor = 82, kManagedMemory = 83, kIsMultiGpuBoard = 84,
        kHostNativeAtomicSupported = 86, kSingleToDoublePrecisionPerfRatio = 87, kPageableMemoryAccess = 88,
        kConcurrentManagedAccess = 89, kComputePreemptionSupported = 90, kCanUseHostPointerForRegisteredMem
        = 91, kCooperativeLaunch = 95, kMaxSharedMemoryPerBlockOptin = 97, kMaxBlocksPerMultiprocessor =
        106, kReservedSharedMemoryPerBlock = 111, kMemoryPoolsSupported = 115, kMaxTexture1DWidth = 21,
        kMaxTexture2DWidth = 22, kMaxTexture2DHeight = 23, kMaxTexture3DWidth = 24, kMaxTexture3DHeight =
        25, kMaxTexture3DDepth = 26, kSurfaceAlignment = 30, kTccDriver = 35, kPciDomainId = 50,
        kMultiGpuBoardGroupID = 85, kCooperativeMultiDeviceLaunch = 96, kHostRegisterSupported = 99,
        kPageableMemoryAccessUsesHostPageTables = 100, kDirectManagedMemAccessFromHost = 101,
        kMaxPersistingL2CacheSize = 108, kMaxAccessPolicyWindowSize = 109, kGPUDirectRDMASupported = 116,
        kMemoryPoolSupportedHandleTypes = 119, kClusterLaunch = 120, kDeferredMappingCudaArraySupported =
        121, kIpcEventSupport = 125,
    };
};
inline aclError deviceAttribute(int* value, DeviceAttribute::Name name, int device)
{
    typedef DeviceAttribute A;
    const auto ask = [device, value](aclrtDevAttr attribute) {
        int64_t found = 0;
        const aclError error = aclrtGetDeviceInfo(static_cast<uint32_t>(device), attribute, &found);
        *value = static_cast<int>(found);
        return error;
    };
    const auto is = [value](int known) {
        *value = known;
        return ACL_SUCCESS;
    };
    switch (name) {
        case A::kMultiProcessorCount: return ask(ACL_DEV_ATTR_VECTOR_CORE_NUM);
        case A::kMaxSharedMemoryPerBlock:
        case A::kMaxSharedMemoryPerBlockOptin:
        case A::kMaxSharedMemoryPerMultiprocessor: return ask(ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE);
        case A::kL2CacheSize: return ask(ACL_DEV_ATTR_L2_CACHE_SIZE);
        case A::kWarpSize: return is(32);
        case A::kMaxThreadsPerBlock:
        case A::kMaxBlockDimX:
        case A::kMaxBlockDimY: return is(1024);
        case A::kMaxBlockDimZ: return is(64);
        case A::kMaxThreadsPerMultiProcessor: return is(2048);
        case A::kMaxGridDimX: return is(2147483647);
        case A::kMaxGridDimY:
        case A::kMaxGridDimZ: return is(65535);
        case A::kMaxBlocksPerMultiprocessor:
        case A::kConcurrentKernels:
        case A::kUnifiedAddressing:
        case A::kStreamPrioritiesSupported:
        case A::kAsyncEngineCount:
        case A::kHostRegisterSupported: return is(1);
        case A::kCooperativeLaunch:
        case A::kCooperativeMultiDeviceLaunch:
        case A::kClusterLaunch:
        case A::kIntegrated:
        case A::kKernelExecTimeout:
        case A::kComputeMode:
        case A::kEccEnabled:
        case A::kPageableMemoryAccess:
        case A::kConcurrentManagedAccess:
        case A::kMemoryPoolsSupported: return is(0);
        case A::kManagedMemory:
        case A::kCanMapHostMemory: return is(1);
        default: return ACL_ERROR_FEATURE_UNSUPPORTED;
    }
}
