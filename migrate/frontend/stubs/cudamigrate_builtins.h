// The CUDA keywords as clang spells them, and the few functions that must be declared before the
// standard library is read. Never define `__noinline__` here: libstdc++ uses the bare word inside
// `__attribute__`, and clang knows it as a keyword.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __cluster_dims__(...)
#define __maxnreg__(n)
#define __block_size__(...)
#define __nv_pure__
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB
#define __CUDACC_RTC_STUB__ 0

// A grid constant is an ordinary by-value parameter for the reader.
#define __grid_constant__

__device__ void __syncthreads();
