// Driver API: types, devices, contexts, streams and events. Kernels in modules would need a compiler
// for PTX: loading one is an error.
#pragma once

#include "../../cuda_runtime.h"

#define CUDAAPI
#define __cuda_cuda_h__
#define CUDA_EMU_DRIVER_ERRORS(X)                                                               \
  X(CUDA_SUCCESS, 0) X(CUDA_ERROR_INVALID_VALUE, 1) X(CUDA_ERROR_OUT_OF_MEMORY, 2)              \
  X(CUDA_ERROR_NOT_INITIALIZED, 3) X(CUDA_ERROR_DEINITIALIZED, 4) X(CUDA_ERROR_PROFILER_DISABLED, 5) \
  X(CUDA_ERROR_NO_DEVICE, 100) X(CUDA_ERROR_INVALID_DEVICE, 101) X(CUDA_ERROR_INVALID_IMAGE, 200) \
  X(CUDA_ERROR_INVALID_CONTEXT, 201) X(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, 202)                 \
  X(CUDA_ERROR_MAP_FAILED, 205) X(CUDA_ERROR_UNMAP_FAILED, 206) X(CUDA_ERROR_ARRAY_IS_MAPPED, 207) \
  X(CUDA_ERROR_ALREADY_MAPPED, 208) X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209) X(CUDA_ERROR_ALREADY_ACQUIRED, 210) \
  X(CUDA_ERROR_NOT_MAPPED, 211) X(CUDA_ERROR_ECC_UNCORRECTABLE, 214) X(CUDA_ERROR_UNSUPPORTED_LIMIT, 215) \
  X(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, 216) X(CUDA_ERROR_INVALID_SOURCE, 300) X(CUDA_ERROR_FILE_NOT_FOUND, 301) \
  X(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302) X(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303) \
  X(CUDA_ERROR_OPERATING_SYSTEM, 304) X(CUDA_ERROR_INVALID_HANDLE, 400) X(CUDA_ERROR_NOT_FOUND, 500) \
  X(CUDA_ERROR_NOT_READY, 600) X(CUDA_ERROR_ILLEGAL_ADDRESS, 700) X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701) \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702) X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704)              \
  X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705) X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)            \
  X(CUDA_ERROR_ASSERT, 710) X(CUDA_ERROR_LAUNCH_FAILED, 719) X(CUDA_ERROR_NOT_PERMITTED, 800)   \
  X(CUDA_ERROR_NOT_SUPPORTED, 801) X(CUDA_ERROR_UNKNOWN, 999)
typedef enum cudaError_enum {
#define CUDA_EMU_ENUM(name, value) name = value,
  CUDA_EMU_DRIVER_ERRORS(CUDA_EMU_ENUM)
#undef CUDA_EMU_ENUM
} CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st { int device; } *CUcontext;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef cudaUUID_t CUuuid;
typedef cudaArray_t CUarray;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlinkState_st *CUlinkState;
typedef cudaHostFn_t CUhostFn;

typedef enum CUdevice_attribute_enum {
#define CUDA_EMU_ATTR(name, number, value) CUDA_EMU_DEVICE_ATTRIBUTE_##name = number,
  CUDA_EMU_ATTRIBUTES(CUDA_EMU_ATTR)
#undef CUDA_EMU_ATTR
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9, CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
  CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17, CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
  CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31, CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
  CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115
} CUdevice_attribute;

typedef enum CUcomputemode_enum {
  CU_COMPUTEMODE_DEFAULT = 0, CU_COMPUTEMODE_PROHIBITED = 2, CU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3
} CUcomputemode;
enum { CU_CTX_SCHED_AUTO = 0, CU_CTX_SCHED_SPIN = 1, CU_CTX_SCHED_YIELD = 2, CU_CTX_SCHED_BLOCKING_SYNC = 4, CU_CTX_MAP_HOST = 8 };
enum { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1 };
enum { CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2 };
enum { CU_MEM_ATTACH_GLOBAL = 1, CU_MEM_ATTACH_HOST = 2 };

namespace cuda_emu {
inline CUresult driver(cudaError_t error) { return static_cast<CUresult>(error); }
inline CUcontext primary_context() {
  static CUctx_st context{0};
  return &context;
}
inline thread_local std::vector<CUcontext> contexts;
}  // namespace cuda_emu

inline CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
inline CUresult cuDriverGetVersion(int *version) { return *version = CUDA_VERSION, CUDA_SUCCESS; }
inline CUresult cuDeviceGetCount(int *count) { return *count = 1, CUDA_SUCCESS; }
inline CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = 0;
  return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
inline CUresult cuDeviceGetName(char *name, int length, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(length), "CUDA runtime for the CPU");
  return CUDA_SUCCESS;
}
inline CUresult cuDeviceTotalMem(size_t *bytes, CUdevice) { return *bytes = cuda_emu::global_memory_bytes, CUDA_SUCCESS; }
inline CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  return cuda_emu::driver(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}
inline CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice) { return *major = 8, *minor = 0, CUDA_SUCCESS; }
inline CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice) { return *uuid = CUuuid{}, CUDA_SUCCESS; }
inline CUresult cuDeviceCanAccessPeer(int *can, CUdevice, CUdevice) { return *can = 0, CUDA_SUCCESS; }
inline CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice) { return cuda_emu::driver(cudaDeviceGetPCIBusId(text, length, 0)); }

inline CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = cuda_emu::contexts.empty() ? nullptr : cuda_emu::contexts.back();
  return CUDA_SUCCESS;
}
inline CUresult cuCtxPushCurrent(CUcontext context) { return cuda_emu::contexts.push_back(context), CUDA_SUCCESS; }
inline CUresult cuCtxPopCurrent(CUcontext *context) {
  if (cuda_emu::contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context) *context = cuda_emu::contexts.back();
  return cuda_emu::contexts.pop_back(), CUDA_SUCCESS;
}
inline CUresult cuCtxSetCurrent(CUcontext context) {
  cuda_emu::contexts.assign(context ? 1 : 0, context);
  return CUDA_SUCCESS;
}
inline CUresult cuCtxCreate(CUcontext *context, unsigned, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *context = new CUctx_st{device};
  return cuCtxPushCurrent(*context);
}
inline CUresult cuCtxDestroy(CUcontext context) {
  auto &all = cuda_emu::contexts;
  all.erase(std::remove(all.begin(), all.end(), context), all.end());
  if (context != cuda_emu::primary_context()) delete context;
  return CUDA_SUCCESS;
}
inline CUresult cuCtxDetach(CUcontext context) { return cuCtxDestroy(context); }
inline CUresult cuCtxSynchronize() { return cuda_emu::driver(cudaDeviceSynchronize()); }
inline CUresult cuCtxGetDevice(CUdevice *device) { return *device = 0, CUDA_SUCCESS; }
inline CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) { return *context = cuda_emu::primary_context(), CUDA_SUCCESS; }
inline CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }

inline CUresult cuStreamCreate(CUstream *stream, unsigned flags) { return cuda_emu::driver(cudaStreamCreateWithFlags(stream, flags)); }
inline CUresult cuStreamDestroy(CUstream stream) { return cuda_emu::driver(cudaStreamDestroy(stream)); }
inline CUresult cuStreamSynchronize(CUstream stream) { return cuda_emu::driver(cudaStreamSynchronize(stream)); }
inline CUresult cuStreamQuery(CUstream stream) { return cuda_emu::driver(cudaStreamQuery(stream)); }
inline CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) { return cuda_emu::driver(cudaStreamWaitEvent(stream, event, flags)); }
inline CUresult cuStreamIsCapturing(CUstream stream, cudaStreamCaptureStatus *status) { return cuda_emu::driver(cudaStreamIsCapturing(stream, status)); }
inline CUresult cuLaunchHostFunc(CUstream stream, CUhostFn call, void *data) { return cuda_emu::driver(cudaLaunchHostFunc(stream, call, data)); }
inline CUresult cuEventCreate(CUevent *event, unsigned flags) { return cuda_emu::driver(cudaEventCreateWithFlags(event, flags)); }
inline CUresult cuEventDestroy(CUevent event) { return cuda_emu::driver(cudaEventDestroy(event)); }
inline CUresult cuEventRecord(CUevent event, CUstream stream) { return cuda_emu::driver(cudaEventRecord(event, stream)); }
inline CUresult cuEventSynchronize(CUevent event) { return cuda_emu::driver(cudaEventSynchronize(event)); }
inline CUresult cuEventQuery(CUevent event) { return cuda_emu::driver(cudaEventQuery(event)); }
inline CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to) { return cuda_emu::driver(cudaEventElapsedTime(ms, from, to)); }

inline CUresult cuModuleLoad(CUmodule *, const char *) { return CUDA_ERROR_NOT_SUPPORTED; }
inline CUresult cuModuleLoadData(CUmodule *, const void *) { return CUDA_ERROR_NOT_SUPPORTED; }
inline CUresult cuModuleUnload(CUmodule) { return CUDA_ERROR_NOT_SUPPORTED; }
inline CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *) { return CUDA_ERROR_NOT_SUPPORTED; }
inline CUresult cuModuleGetGlobal(CUdeviceptr *, size_t *, CUmodule, const char *) { return CUDA_ERROR_NOT_SUPPORTED; }
inline CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **) {
  return CUDA_ERROR_INVALID_HANDLE;
}

inline CUresult cuGetErrorName(CUresult error, const char **text) {
  switch (error) {
#define CUDA_EMU_NAME(name, value) case name: *text = #name; return CUDA_SUCCESS;
    CUDA_EMU_DRIVER_ERRORS(CUDA_EMU_NAME)
#undef CUDA_EMU_NAME
  }
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}
inline CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}
inline CUresult cuProfilerStart() { return CUDA_SUCCESS; }
inline CUresult cuProfilerStop() { return CUDA_SUCCESS; }
