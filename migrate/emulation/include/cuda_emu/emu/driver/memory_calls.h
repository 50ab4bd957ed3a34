// Driver API: memory. A CUdeviceptr is the pointer's value.
#pragma once

#include "types.h"

namespace cuda_emu {
inline void *pointer_of(CUdeviceptr p) { return reinterpret_cast<void *>(p); }
}  // namespace cuda_emu

inline CUresult cuMemAlloc(CUdeviceptr *p, size_t bytes) {
  void *memory = nullptr;
  CUresult result = cuda_emu::driver(cudaMalloc(&memory, bytes));
  *p = reinterpret_cast<CUdeviceptr>(memory);
  return result;
}
inline CUresult cuMemAllocManaged(CUdeviceptr *p, size_t bytes, unsigned) {
  void *memory = nullptr;
  CUresult result = cuda_emu::driver(cudaMallocManaged(&memory, bytes));
  *p = reinterpret_cast<CUdeviceptr>(memory);
  return result;
}
inline CUresult cuMemAllocPitch(CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned) {
  void *memory = nullptr;
  CUresult result = cuda_emu::driver(cudaMallocPitch(&memory, pitch, width, height));
  *p = reinterpret_cast<CUdeviceptr>(memory);
  return result;
}
inline CUresult cuMemAllocHost(void **p, size_t bytes) { return cuda_emu::driver(cudaMallocHost(p, bytes)); }
inline CUresult cuMemHostAlloc(void **p, size_t bytes, unsigned flags) { return cuda_emu::driver(cudaHostAlloc(p, bytes, flags)); }
inline CUresult cuMemFree(CUdeviceptr p) { return cuda_emu::driver(cudaFree(cuda_emu::pointer_of(p))); }
inline CUresult cuMemFreeHost(void *p) { return cuda_emu::driver(cudaFreeHost(p)); }
inline CUresult cuMemGetInfo(size_t *free_bytes, size_t *total) { return cuda_emu::driver(cudaMemGetInfo(free_bytes, total)); }
inline CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr p) {
  cuda_emu::Allocation a;
  if (!cuda_emu::find_allocation(p, &a)) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = a.base;
  if (bytes) *bytes = a.size;
  return CUDA_SUCCESS;
}
inline CUresult cuMemHostGetDevicePointer(CUdeviceptr *p, void *host, unsigned) {
  return *p = reinterpret_cast<CUdeviceptr>(host), CUDA_SUCCESS;
}

inline CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t n) {
  return cuda_emu::driver(cudaMemcpy(cuda_emu::pointer_of(to), from, n, cudaMemcpyHostToDevice));
}
inline CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t n) {
  return cuda_emu::driver(cudaMemcpy(to, cuda_emu::pointer_of(from), n, cudaMemcpyDeviceToHost));
}
inline CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t n) {
  return cuda_emu::driver(cudaMemcpy(cuda_emu::pointer_of(to), cuda_emu::pointer_of(from), n, cudaMemcpyDeviceToDevice));
}
inline CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n) {
  return cuda_emu::driver(cudaMemcpy(cuda_emu::pointer_of(to), cuda_emu::pointer_of(from), n, cudaMemcpyDefault));
}
inline CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t n, CUstream s) {
  return cuda_emu::driver(cudaMemcpyAsync(cuda_emu::pointer_of(to), from, n, cudaMemcpyHostToDevice, s));
}
inline CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t n, CUstream s) {
  return cuda_emu::driver(cudaMemcpyAsync(to, cuda_emu::pointer_of(from), n, cudaMemcpyDeviceToHost, s));
}
inline CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
  return cuda_emu::driver(cudaMemcpyAsync(cuda_emu::pointer_of(to), cuda_emu::pointer_of(from), n, cudaMemcpyDeviceToDevice, s));
}

namespace cuda_emu {
template <class T>
CUresult set_elements(CUdeviceptr to, T value, size_t count, CUstream stream) {
  return driver(submit(stream, cudaGraphNodeTypeMemset, [=] {
    if (count && !valid_range(pointer_of(to), count * sizeof(T), true, "cuMemset")) return fail(cudaErrorInvalidValue);
    std::fill_n(static_cast<T *>(pointer_of(to)), count, value);
    return cudaSuccess;
  }));
}
}  // namespace cuda_emu
#define CUDA_EMU_MEMSET(bits, T)                                                                \
  inline CUresult cuMemsetD##bits(CUdeviceptr to, T value, size_t n) { return cuda_emu::set_elements(to, value, n, nullptr); } \
  inline CUresult cuMemsetD##bits##Async(CUdeviceptr to, T value, size_t n, CUstream s) { return cuda_emu::set_elements(to, value, n, s); }
CUDA_EMU_MEMSET(8, unsigned char)
CUDA_EMU_MEMSET(16, unsigned short)
CUDA_EMU_MEMSET(32, unsigned int)
#undef CUDA_EMU_MEMSET

typedef enum CUpointer_attribute_enum {
  CU_POINTER_ATTRIBUTE_CONTEXT = 1, CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2, CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  CU_POINTER_ATTRIBUTE_HOST_POINTER = 4, CU_POINTER_ATTRIBUTE_IS_MANAGED = 8, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9
} CUpointer_attribute;
typedef enum CUmemorytype_enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2, CU_MEMORYTYPE_ARRAY = 3, CU_MEMORYTYPE_UNIFIED = 4 } CUmemorytype;
inline CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr p) {
  cudaPointerAttributes a;
  cudaPointerGetAttributes(&a, cuda_emu::pointer_of(p));
  if (a.type == cudaMemoryTypeUnregistered) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *static_cast<CUcontext *>(value) = cuda_emu::primary_context(); return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned *>(value) = a.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *static_cast<CUdeviceptr *>(value) = p; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: *static_cast<void **>(value) = cuda_emu::pointer_of(p); return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *static_cast<bool *>(value) = a.type == cudaMemoryTypeManaged; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *static_cast<int *>(value) = 0; return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}
