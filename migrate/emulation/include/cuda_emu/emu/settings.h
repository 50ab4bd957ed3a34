// Settings and queries that change nothing here: cache preferences, attributes of streams, limits.
#pragma once

#include "kernel_registry.h"
#include "memory_pools.h"
#include "texture_objects.h"

enum cudaAccessProperty { cudaAccessPropertyNormal = 0, cudaAccessPropertyStreaming = 1, cudaAccessPropertyPersisting = 2 };
struct cudaAccessPolicyWindow {
  void *base_ptr;
  size_t num_bytes;
  float hitRatio;
  cudaAccessProperty hitProp, missProp;
};
union cudaStreamAttrValue { cudaAccessPolicyWindow accessPolicyWindow; int syncPolicy; };
typedef cudaLaunchAttributeID cudaStreamAttrID;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy cudaLaunchAttributeSynchronizationPolicy
template <class Attribute>
cudaError_t cudaStreamSetAttribute(cudaStream_t, Attribute, const cudaStreamAttrValue *) { return cudaSuccess; }
template <class Attribute>
cudaError_t cudaStreamGetAttribute(cudaStream_t, Attribute, cudaStreamAttrValue *value) {
  return *value = cudaStreamAttrValue{}, cudaSuccess;
}
inline cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
inline cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  return *id = static_cast<unsigned long long>(cuda_emu::stream_id(stream)), cudaSuccess;
}
inline cudaError_t cudaStreamGetDevice(cudaStream_t, int *device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) { return *config = cudaFuncCachePreferNone, cudaSuccess; }
inline cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  return *config = cudaSharedMemBankSizeFourByte, cudaSuccess;
}
inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
inline cudaError_t cudaThreadSetLimit(cudaLimit, size_t) { return cudaSuccess; }
inline cudaError_t cudaSetValidDevices(int *, int) { return cudaSuccess; }
inline cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
inline cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int) {
  std::snprintf(text, static_cast<size_t>(length), "0000:01:00.0");
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(int, int) { return cudaSuccess; }
inline cudaError_t cudaHostGetFlags(unsigned *flags, void *) { return *flags = cudaHostAllocMapped, cudaSuccess; }
inline cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent e, cudaStream_t stream = nullptr) {
  return cuda_emu::submit(stream, cudaGraphNodeTypeMemset, [=] { return cudaMemset3D(p, value, e); });
}
struct cudaMemcpy3DPeerParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  int srcDevice;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  int dstDevice;
  cudaExtent extent;
};
inline cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p) {
  cudaMemcpy3DParms all{p->srcArray, p->srcPos, p->srcPtr, p->dstArray, p->dstPos, p->dstPtr, p->extent,
                        cudaMemcpyDeviceToDevice};
  return cuda_emu::copy_box(&all);
}

enum cudaMemRangeAttribute {
  cudaMemRangeAttributeReadMostly = 1, cudaMemRangeAttributePreferredLocation = 2,
  cudaMemRangeAttributeAccessedBy = 3, cudaMemRangeAttributeLastPrefetchLocation = 4
};
inline cudaError_t cudaMemRangeGetAttribute(void *value, size_t bytes, cudaMemRangeAttribute, const void *, size_t) {
  return std::memset(value, 0, bytes), cudaSuccess;
}

enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess = 0, cudaDriverEntryPointSymbolNotFound = 1,
  cudaDriverEntryPointVersionNotSufficent = 2
};
enum { cudaEnableDefault = 0, cudaEnableLegacyStream = 1, cudaEnablePerThreadDefaultStream = 2 };
// The driver's functions are not to be had by name: they would be called with real driver handles.
inline cudaError_t cudaGetDriverEntryPoint(const char *, void **function, unsigned long long,
                                           cudaDriverEntryPointQueryResult *status = nullptr) {
  *function = nullptr;
  if (status) *status = cudaDriverEntryPointSymbolNotFound;
  return cuda_emu::fail(cudaErrorSymbolNotFound);
}
inline cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned, unsigned long long flags,
                                                    cudaDriverEntryPointQueryResult *status = nullptr) {
  return cudaGetDriverEntryPoint(name, function, flags, status);
}

template <class F>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, F, int blocks, int) {
  *bytes = blocks > 0 ? 167936 / static_cast<size_t>(blocks) - 1024 : 0;
  if (*bytes > 49152) *bytes = 49152;
  return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block, F kernel, size_t shared, int limit, unsigned) {
  return cudaOccupancyMaxPotentialBlockSize(min_grid, block, kernel, shared, limit);
}
template <class F>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, F, const cudaLaunchConfig_t *) { return *size = 1, cudaSuccess; }
template <class F>
cudaError_t cudaOccupancyMaxActiveClusters(int *count, F, const cudaLaunchConfig_t *) {
  return *count = cuda_emu::multiprocessors, cudaSuccess;
}
