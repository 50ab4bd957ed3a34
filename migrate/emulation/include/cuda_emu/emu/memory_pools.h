// Memory pools, and what several devices or processes would share: there is one device.
#pragma once

#include "graphs.h"
#include "memory.h"
#include "streams.h"

enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic = 2,
  cudaMemPoolReuseAllowInternalDependencies = 3, cudaMemPoolAttrReleaseThreshold = 4,
  cudaMemPoolAttrReservedMemCurrent = 5, cudaMemPoolAttrReservedMemHigh = 6,
  cudaMemPoolAttrUsedMemCurrent = 7, cudaMemPoolAttrUsedMemHigh = 8
};
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid = 0, cudaMemAllocationTypePinned = 1 };
enum cudaMemAllocationHandleType {
  cudaMemHandleTypeNone = 0, cudaMemHandleTypePosixFileDescriptor = 1
};
enum cudaMemAccessFlags {
  cudaMemAccessFlagsProtNone = 0, cudaMemAccessFlagsProtRead = 1, cudaMemAccessFlagsProtReadWrite = 3
};
struct cudaMemPoolProps {
  cudaMemAllocationType allocType;
  cudaMemAllocationHandleType handleTypes;
  cudaMemLocation location;
  void *win32SecurityAttributes;
  size_t maxSize;
};
struct cudaMemAccessDesc { cudaMemLocation location; cudaMemAccessFlags flags; };
struct CUmemPoolHandle_st { std::uint64_t threshold = 0; int reuse[4] = {1, 1, 1, 1}; };
typedef struct CUmemPoolHandle_st *cudaMemPool_t;

namespace cuda_emu {
inline cudaMemPool_t default_pool() {
  static auto *pool = new CUmemPoolHandle_st;
  return pool;
}
}  // namespace cuda_emu

inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  if (device != 0) return cuda_emu::fail(cudaErrorInvalidDevice);
  return *pool = cuda_emu::default_pool(), cudaSuccess;
}
inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
inline cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return cudaSuccess; }
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *) {
  return *pool = new CUmemPoolHandle_st, cudaSuccess;
}
inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) { return delete pool, cudaSuccess; }
inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
inline cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc *, size_t) { return cudaSuccess; }
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  if (attribute == cudaMemPoolAttrReleaseThreshold) pool->threshold = *static_cast<std::uint64_t *>(value);
  else if (attribute <= 3) pool->reuse[attribute] = *static_cast<int *>(value);
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  if (attribute <= 3) *static_cast<int *>(value) = pool->reuse[attribute];
  else if (attribute == cudaMemPoolAttrReleaseThreshold) *static_cast<std::uint64_t *>(value) = pool->threshold;
  else *static_cast<std::uint64_t *>(value) = cuda_emu::allocated_bytes();
  return cudaSuccess;
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T **p, size_t n, cudaMemPool_t, cudaStream_t stream) {
  return cudaMallocAsync(p, n, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T **p, size_t n, cudaMemPool_t, cudaStream_t stream) {
  return cudaMallocAsync(p, n, stream);
}

struct cudaMemAllocNodeParams {
  cudaMemPoolProps poolProps;
  const cudaMemAccessDesc *accessDescs;
  size_t accessDescCount, bytesize;
  void *dptr;
};
enum cudaGraphMemAttributeType {
  cudaGraphMemAttrUsedMemCurrent = 0, cudaGraphMemAttrUsedMemHigh = 1,
  cudaGraphMemAttrReservedMemCurrent = 2, cudaGraphMemAttrReservedMemHigh = 3
};
// The memory of a graph keeps its address from the node's creation on. A graph that is launched again before
// its memory was freed is an error.
inline cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                            size_t count, cudaMemAllocNodeParams *p) {
  if (!p || !p->bytesize) return cuda_emu::fail(cudaErrorInvalidValue);
  void *memory = p->dptr = cuda_emu::reserve(p->bytesize);
  if (!memory) return cuda_emu::fail(cudaErrorMemoryAllocation);
  return cuda_emu::put_node(node, graph, after, count, cudaGraphNodeTypeMemAlloc, [memory] {
    return cuda_emu::map_reserved(memory) ? cudaSuccess : cuda_emu::fail(cudaErrorInvalidValue);
  });
}
inline cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                           size_t count, void *memory) {
  return cuda_emu::put_node(node, graph, after, count, cudaGraphNodeTypeMemFree,
                            [memory] { return cuda_emu::release_checked(memory); });
}
inline cudaError_t cudaDeviceGraphMemTrim(int) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetGraphMemAttribute(int, cudaGraphMemAttributeType, void *value) {
  return *static_cast<std::uint64_t *>(value) = cuda_emu::allocated_bytes(), cudaSuccess;
}
inline cudaError_t cudaDeviceSetGraphMemAttribute(int, cudaGraphMemAttributeType, void *) { return cudaSuccess; }

// -- other devices and processes ---------------------------------------------------------------------
enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported = 2,
  cudaDevP2PAttrNativeAtomicSupported = 3, cudaDevP2PAttrCudaArrayAccessSupported = 4
};
struct cudaIpcMemHandle_t { char reserved[64]; };
struct cudaIpcEventHandle_t { char reserved[64]; };
enum { cudaIpcMemLazyEnablePeerAccess = 1 };
inline cudaError_t cudaDeviceDisablePeerAccess(int) { return cuda_emu::fail(cudaErrorPeerAccessNotEnabled); }
inline cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr, int, int) {
  *value = 0;
  return cuda_emu::fail(cudaErrorInvalidDevice);
}
inline cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *) { return cuda_emu::fail(cudaErrorNotSupported); }
inline cudaError_t cudaIpcOpenMemHandle(void **, cudaIpcMemHandle_t, unsigned) { return cuda_emu::fail(cudaErrorNotSupported); }
inline cudaError_t cudaIpcCloseMemHandle(void *) { return cuda_emu::fail(cudaErrorNotSupported); }
inline cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *, cudaEvent_t) { return cuda_emu::fail(cudaErrorNotSupported); }
inline cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *, cudaIpcEventHandle_t) { return cuda_emu::fail(cudaErrorNotSupported); }
