// CUDA's declaration keywords and compiler macros, for a plain C++17 compiler.
//
// The source rewriter has already handled what needs more than a macro: launches, shared variables,
// kernel entry hooks and the registration of device variables. What is left here is what a macro can
// express. `__shared__` stays usable without the rewriter (one block runs on one OS thread), then
// without the poison and without cooperative launches.
#pragma once

#define CUDA_EMU 1

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 0
#define CUDART_VERSION 12040
#define CUDA_VERSION 12040
// Host and device code are compiled in one pass: code that tests the architecture takes the device
// branch, since the kernels are what this runtime is for.
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#endif
#ifndef __CUDA_ARCH_LIST__
#define __CUDA_ARCH_LIST__ 800
#endif

// Headers of CUDA that are always there under nvcc: programs ask for their guards.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__

#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __shared__ static thread_local
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
#define __nv_hdl_wrapper__

// Runtime functions too large to repeat in every translation unit. Header-only by default; with
// CUDA_EMU_SEPARATE only the declarations are seen and one unit defines CUDA_EMU_IMPLEMENTATION.
#if defined(CUDA_EMU_SEPARATE)
#define CUDA_EMU_API
#else
#define CUDA_EMU_API inline
#endif
#if !defined(CUDA_EMU_SEPARATE) || defined(CUDA_EMU_IMPLEMENTATION)
#define CUDA_EMU_DEFINE_BODIES 1
#endif
