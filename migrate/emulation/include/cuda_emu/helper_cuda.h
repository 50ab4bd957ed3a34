// The checks of the CUDA samples' helper header.
#pragma once

#include "cuda_runtime.h"

#define checkCudaErrors(value)                                                                  \
  do {                                                                                          \
    cudaError_t cuda_emu_status = static_cast<cudaError_t>(value);                              \
    if (cuda_emu_status != cudaSuccess) {                                                       \
      std::fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__,                              \
                   cudaGetErrorName(cuda_emu_status), #value);                                  \
      std::exit(EXIT_FAILURE);                                                                  \
    }                                                                                           \
  } while (0)
#define getLastCudaError(message)                                                               \
  do {                                                                                          \
    cudaError_t cuda_emu_status = cudaGetLastError();                                           \
    if (cuda_emu_status != cudaSuccess) {                                                       \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, message,                      \
                   cudaGetErrorString(cuda_emu_status));                                        \
      std::exit(EXIT_FAILURE);                                                                  \
    }                                                                                           \
  } while (0)
inline int findCudaDevice(int, const char **) { return 0; }
inline int gpuGetMaxGflopsDeviceId() { return 0; }
