// The driver API's types and the calls that need no modules, on top of the runtime.
#pragma once

#include "cuda_runtime.h"

typedef enum cudaError_enum {
  CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3, CUDA_ERROR_DEINITIALIZED = 4, CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101, CUDA_ERROR_INVALID_CONTEXT = 201, CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600, CUDA_ERROR_LAUNCH_FAILED = 719, CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_UNKNOWN = 999
} CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;

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
inline CUresult cuDeviceTotalMem(size_t *bytes, CUdevice) {
  return *bytes = cuda_emu::global_memory_bytes, CUDA_SUCCESS;
}
inline CUresult cuCtxCreate(CUcontext *context, unsigned, CUdevice) {
  return *context = nullptr, CUDA_SUCCESS;
}
inline CUresult cuCtxDestroy(CUcontext) { return CUDA_SUCCESS; }
inline CUresult cuCtxSynchronize() { return static_cast<CUresult>(cudaDeviceSynchronize()); }
inline CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes) {
  void *memory = nullptr;
  CUresult result = static_cast<CUresult>(cudaMalloc(&memory, bytes));
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  return result;
}
inline CUresult cuMemFree(CUdeviceptr pointer) {
  return static_cast<CUresult>(cudaFree(reinterpret_cast<void *>(pointer)));
}
inline CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  return static_cast<CUresult>(
      cudaMemcpy(reinterpret_cast<void *>(to), from, bytes, cudaMemcpyHostToDevice));
}
inline CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  return static_cast<CUresult>(
      cudaMemcpy(to, reinterpret_cast<void *>(from), bytes, cudaMemcpyDeviceToHost));
}
inline CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}
inline CUresult cuGetErrorName(CUresult error, const char **text) {
  *text = cudaGetErrorName(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}
