// The functions below the pipelines: copies of 4, 8 or 16 bytes, the rest of which may be zero.
#pragma once

#include "cuda_runtime.h"

__device__ __forceinline__ void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                                        size_t zero_fill = 0) {
  int *words = static_cast<int *>(to);
  const int *source = static_cast<const int *>(from);
  for (size_t i = 0; i < bytes / 4; ++i) words[i] = i < (bytes - zero_fill) / 4 ? source[i] : 0;
}
__device__ __forceinline__ void __pipeline_commit() {}
__device__ __forceinline__ void __pipeline_wait_prior(size_t) {}
