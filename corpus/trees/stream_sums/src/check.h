#pragma once

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

// Ends the program when a runtime call fails, and says which.
#define CUDA_CHECK(call)                                                                  \
    do {                                                                                  \
        cudaError_t status_ = (call);                                                     \
        if (status_ != cudaSuccess) {                                                     \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                 \
                    cudaGetErrorString(status_));                                         \
            exit(2);                                                                      \
        }                                                                                 \
    } while (0)

// Behind a launch, which returns nothing.
#define CUDA_CHECK_LAUNCH() CUDA_CHECK(cudaGetLastError())
