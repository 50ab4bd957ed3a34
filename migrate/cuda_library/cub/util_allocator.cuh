// An allocator by the name of CUB's; it keeps nothing.
#pragma once

#include <cstddef>
#include "cuda_runtime.h"

namespace cub {

struct CachingDeviceAllocator {
  bool debug;
  explicit CachingDeviceAllocator(bool skip_cleanup = false, bool show = false) : debug(show) {
    (void)skip_cleanup;
  }
  CachingDeviceAllocator(unsigned, unsigned = 1, unsigned = ~0u, std::size_t = ~std::size_t(0),
                         bool = false, bool show = false)
      : debug(show) {}
  cudaError_t DeviceAllocate(void **p, std::size_t bytes, cudaStream_t = 0) {
    return cudaMalloc(p, bytes ? bytes : 1);
  }
  cudaError_t DeviceAllocate(int, void **p, std::size_t bytes, cudaStream_t = 0) {
    return cudaMalloc(p, bytes ? bytes : 1);
  }
  cudaError_t DeviceFree(void *p) { return cudaFree(p); }
  cudaError_t DeviceFree(int, void *p) { return cudaFree(p); }
  cudaError_t FreeAllCached() { return cudaSuccess; }
};

}  // namespace cub
