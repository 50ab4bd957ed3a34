// The device that programs see: one, with the limits of compute capability 8.0.
#pragma once

#include <algorithm>
#include <climits>
#include <cstring>

#include "errors.h"
#include "launch_state.h"

struct cudaUUID_t { char bytes[16]; };

struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory;
  int computeMode, maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2];
  int maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3];
  int maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
  int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled;
  int pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing;
  int memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported;
  int localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
  int hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess;
  int concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
  int cooperativeLaunch, cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned int memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
  char luid[8];
  unsigned int luidDeviceNodeMask;
};

// CUDA's own numbering (cudaDeviceAttr); `value` is what this device answers.
#define CUDA_EMU_ATTRIBUTES(X)                       \
  X(MaxThreadsPerBlock, 1, 1024)                     \
  X(MaxBlockDimX, 2, 1024)                           \
  X(MaxBlockDimY, 3, 1024)                           \
  X(MaxBlockDimZ, 4, 64)                             \
  X(MaxGridDimX, 5, INT_MAX)                         \
  X(MaxGridDimY, 6, 65535)                           \
  X(MaxGridDimZ, 7, 65535)                           \
  X(MaxSharedMemoryPerBlock, 8, 49152)               \
  X(TotalConstantMemory, 9, 65536)                   \
  X(WarpSize, 10, 32)                                \
  X(MaxPitch, 11, INT_MAX)                           \
  X(MaxRegistersPerBlock, 12, 65536)                 \
  X(ClockRate, 13, 1410000)                          \
  X(TextureAlignment, 14, 512)                       \
  X(GpuOverlap, 15, 1)                               \
  X(MultiProcessorCount, 16, 8)                      \
  X(KernelExecTimeout, 17, 0)                        \
  X(Integrated, 18, 0)                               \
  X(CanMapHostMemory, 19, 1)                         \
  X(ComputeMode, 20, 0)                              \
  X(ConcurrentKernels, 31, 1)                        \
  X(EccEnabled, 32, 0)                               \
  X(PciBusId, 33, 1)                                 \
  X(PciDeviceId, 34, 0)                              \
  X(MemoryClockRate, 36, 1215000)                    \
  X(GlobalMemoryBusWidth, 37, 5120)                  \
  X(L2CacheSize, 38, 41943040)                       \
  X(MaxThreadsPerMultiProcessor, 39, 2048)           \
  X(AsyncEngineCount, 40, 3)                         \
  X(UnifiedAddressing, 41, 1)                        \
  X(ComputeCapabilityMajor, 75, 8)                   \
  X(ComputeCapabilityMinor, 76, 0)                   \
  X(StreamPrioritiesSupported, 78, 1)                \
  X(GlobalL1CacheSupported, 79, 1)                   \
  X(LocalL1CacheSupported, 80, 1)                    \
  X(MaxSharedMemoryPerMultiprocessor, 81, 167936)    \
  X(MaxRegistersPerMultiprocessor, 82, 65536)        \
  X(ManagedMemory, 83, 1)                            \
  X(IsMultiGpuBoard, 84, 0)                          \
  X(HostNativeAtomicSupported, 86, 1)                \
  X(SingleToDoublePrecisionPerfRatio, 87, 2)         \
  X(PageableMemoryAccess, 88, 1)                     \
  X(ConcurrentManagedAccess, 89, 1)                  \
  X(ComputePreemptionSupported, 90, 1)               \
  X(CanUseHostPointerForRegisteredMem, 91, 1)        \
  X(CooperativeLaunch, 95, 1)                        \
  X(MaxSharedMemoryPerBlockOptin, 97, 166912)        \
  X(MaxBlocksPerMultiprocessor, 106, 32)             \
  X(ReservedSharedMemoryPerBlock, 111, 1024)         \
  X(MemoryPoolsSupported, 115, 1)                    \
  X(MaxTexture1DWidth, 21, 131072)                   \
  X(MaxTexture2DWidth, 22, 131072)                   \
  X(MaxTexture2DHeight, 23, 65536)                   \
  X(MaxTexture3DWidth, 24, 16384)                    \
  X(MaxTexture3DHeight, 25, 16384)                   \
  X(MaxTexture3DDepth, 26, 16384)                    \
  X(SurfaceAlignment, 30, 512)                       \
  X(TccDriver, 35, 0)                                \
  X(PciDomainId, 50, 0)                              \
  X(MultiGpuBoardGroupID, 85, 0)                     \
  X(CooperativeMultiDeviceLaunch, 96, 0)             \
  X(HostRegisterSupported, 99, 1)                    \
  X(PageableMemoryAccessUsesHostPageTables, 100, 1)  \
  X(DirectManagedMemAccessFromHost, 101, 1)          \
  X(MaxPersistingL2CacheSize, 108, 0)                \
  X(MaxAccessPolicyWindowSize, 109, 0)               \
  X(GPUDirectRDMASupported, 116, 0)                  \
  X(MemoryPoolSupportedHandleTypes, 119, 0)          \
  X(ClusterLaunch, 120, 0)                           \
  X(DeferredMappingCudaArraySupported, 121, 0)       \
  X(IpcEventSupport, 125, 0)

enum cudaDeviceAttr {
#define CUDA_EMU_ATTR(name, number, value) cudaDevAttr##name = number,
  CUDA_EMU_ATTRIBUTES(CUDA_EMU_ATTR)
#undef CUDA_EMU_ATTR
};

enum cudaLimit {
  cudaLimitStackSize = 0, cudaLimitPrintfFifoSize = 1, cudaLimitMallocHeapSize = 2,
  cudaLimitDevRuntimeSyncDepth = 3, cudaLimitDevRuntimePendingLaunchCount = 4,
  cudaLimitMaxL2FetchGranularity = 5, cudaLimitPersistingL2CacheSize = 6
};
enum cudaFuncCache {
  cudaFuncCachePreferNone = 0, cudaFuncCachePreferShared = 1, cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault = 0, cudaSharedMemBankSizeFourByte = 1,
  cudaSharedMemBankSizeEightByte = 2
};
enum cudaComputeMode {
  cudaComputeModeDefault = 0, cudaComputeModeExclusive = 1, cudaComputeModeProhibited = 2,
  cudaComputeModeExclusiveProcess = 3
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 13
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};

enum { cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2,
       cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4, cudaDeviceMapHost = 8, cudaDeviceLmemResizeToMax = 16 };
enum { cudaOccupancyDefault = 0, cudaOccupancyDisableCachingOverride = 1 };
enum { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0,
       cudaSharedmemCarveoutMaxShared = 100 };

namespace cuda_emu {
inline constexpr int shared_memory_per_block_optin = 166912;
inline constexpr int multiprocessors = 8;
inline constexpr int threads_per_multiprocessor = 2048;
inline constexpr std::size_t global_memory_bytes = std::size_t{16} << 30;

inline int resident_blocks(int threads, std::size_t shared_bytes) {
  if (threads <= 0 || threads > 1024) return 0;
  int rounded = (threads + 31) / 32 * 32;
  int blocks = std::min(32, threads_per_multiprocessor / rounded);
  if (shared_bytes) blocks = std::min(blocks, static_cast<int>(167936 / (shared_bytes + 1024)));
  return blocks;
}
inline std::uint64_t max_cooperative_blocks(const Config &c) {
  int threads = static_cast<int>(c.block.x * c.block.y * c.block.z);
  return static_cast<std::uint64_t>(resident_blocks(threads, c.shared_bytes)) * multiprocessors;
}
}  // namespace cuda_emu

inline cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
inline cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : cuda_emu::fail(cudaErrorInvalidDevice);
}
inline cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
inline cudaError_t cudaGetDeviceFlags(unsigned *flags) { return *flags = 0, cudaSuccess; }
inline cudaError_t cudaDriverGetVersion(int *v) { return *v = CUDART_VERSION, cudaSuccess; }
inline cudaError_t cudaRuntimeGetVersion(int *v) { return *v = CUDART_VERSION, cudaSuccess; }
inline cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit) { return *value = 1024, cudaSuccess; }
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
inline cudaError_t cudaDeviceCanAccessPeer(int *can, int, int) { return *can = 0, cudaSuccess; }
inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return cuda_emu::fail(cudaErrorInvalidDevice);
}
inline cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *) {
  return *device = 0, cudaSuccess;
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return cuda_emu::fail(cudaErrorInvalidDevice);
  switch (attribute) {
#define CUDA_EMU_ATTR(name, number, answer) \
  case cudaDevAttr##name: *value = answer; return cudaSuccess;
    CUDA_EMU_ATTRIBUTES(CUDA_EMU_ATTR)
#undef CUDA_EMU_ATTR
  }
  return cuda_emu::fail(cudaErrorInvalidValue);
}

inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device) {
  if (device != 0) return cuda_emu::fail(cudaErrorInvalidDevice);
  std::memset(static_cast<void *>(p), 0, sizeof *p);
  std::strcpy(p->name, "CUDA runtime for the CPU");
  p->totalGlobalMem = cuda_emu::global_memory_bytes;
  p->sharedMemPerBlock = 49152;
  p->sharedMemPerBlockOptin = cuda_emu::shared_memory_per_block_optin;
  p->sharedMemPerMultiprocessor = 167936;
  p->reservedSharedMemPerBlock = 1024;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = 32;
  p->memPitch = INT_MAX;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = INT_MAX;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->clockRate = 1410000;
  p->totalConstMem = 65536;
  p->major = 8;
  p->textureAlignment = p->surfaceAlignment = 512;
  p->maxTexture1D = p->maxTexture1DLinear = p->maxTexture2D[0] = 131072;
  p->maxTexture2D[1] = 65536;
  for (int &n : p->maxTexture3D) n = 16384;
  p->maxTexture1DLayered[0] = p->maxTexture2DLayered[0] = p->maxTexture2DLayered[1] = 32768;
  p->maxTexture1DLayered[1] = p->maxTexture2DLayered[2] = 2048;
  p->maxTextureCubemap = 32768;
  p->hostRegisterSupported = p->memoryPoolsSupported = 1;
  p->texturePitchAlignment = 32;
  p->deviceOverlap = p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = 1;
  p->multiProcessorCount = cuda_emu::multiprocessors;
  p->asyncEngineCount = 3;
  p->memoryClockRate = 1215000;
  p->memoryBusWidth = 5120;
  p->l2CacheSize = 41943040;
  p->maxThreadsPerMultiProcessor = cuda_emu::threads_per_multiprocessor;
  p->maxBlocksPerMultiProcessor = 32;
  p->streamPrioritiesSupported = p->globalL1CacheSupported = p->localL1CacheSupported = 1;
  p->managedMemory = p->concurrentManagedAccess = p->pageableMemoryAccess = 1;
  p->cooperativeLaunch = p->computePreemptionSupported = 1;
  p->singleToDoublePrecisionPerfRatio = 2;
  return cudaSuccess;
}

// Functions about a kernel accept any kernel or an untyped pointer to one.
template <class F>
cudaError_t cudaFuncSetAttribute(F, cudaFuncAttribute attribute, int value) {
  bool too_much = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize &&
                  value > cuda_emu::shared_memory_per_block_optin;
  return too_much ? cuda_emu::fail(cudaErrorInvalidValue) : cudaSuccess;
}
template <class F>
cudaError_t cudaFuncSetCacheConfig(F, cudaFuncCache) { return cudaSuccess; }
template <class F>
cudaError_t cudaFuncSetSharedMemConfig(F, cudaSharedMemConfig) { return cudaSuccess; }
template <class F>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, F) {
  *attributes = cudaFuncAttributes{};
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = 80;
  attributes->maxDynamicSharedSizeBytes = 49152;
  return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F, int threads,
                                                          size_t shared_bytes) {
  *blocks = cuda_emu::resident_blocks(threads, shared_bytes);
  return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, F, int threads,
                                                                   size_t shared_bytes, unsigned) {
  *blocks = cuda_emu::resident_blocks(threads, shared_bytes);
  return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *block, F, size_t = 0,
                                               int limit = 0) {
  *block = limit > 0 ? std::min(limit, 1024) : 1024;
  *min_grid = cuda_emu::multiprocessors * cuda_emu::resident_blocks(*block, 0);
  return cudaSuccess;
}
template <class Size, class F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid, int *block, F kernel, Size,
                                                           int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSize(min_grid, block, kernel, 0, limit);
}
