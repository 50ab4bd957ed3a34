// Barriers, warp operations, atomics, cached loads and other device-only intrinsics.
#pragma once

#include "vector_types.h"

#ifndef CM_D
#define CM_D __device__
#endif

// --- barriers and fences --------------------------------------------------------------------
CM_D int __syncthreads_count(int);
CM_D int __syncthreads_and(int);
CM_D int __syncthreads_or(int);
CM_D void __syncwarp(unsigned int mask = 0xffffffffu);
CM_D void __threadfence();
CM_D void __threadfence_block();
CM_D void __threadfence_system();
CM_D void __nanosleep(unsigned int);
CM_D void __trap();
CM_D void __brkpt();
CM_D long long int clock64();
CM_D unsigned long long int __globaltimer();
CM_D void __prof_trigger(int);
CM_D void cudaGraphSetConditional(unsigned long long, unsigned int);

// --- votes and matches ----------------------------------------------------------------------
CM_D int __all_sync(unsigned int, int);
CM_D int __any_sync(unsigned int, int);
CM_D unsigned int __ballot_sync(unsigned int, int);
CM_D int __uni_sync(unsigned int, int);
CM_D int __all(int);
CM_D int __any(int);
CM_D unsigned int __ballot(int);
CM_D unsigned int __activemask();
CM_D unsigned int __lane_id();

#define CM_WARP(T)                                                     \
  CM_D T __shfl_sync(unsigned int, T, int, int width = 32);            \
  CM_D T __shfl_up_sync(unsigned int, T, unsigned int, int width = 32);   \
  CM_D T __shfl_down_sync(unsigned int, T, unsigned int, int width = 32); \
  CM_D T __shfl_xor_sync(unsigned int, T, int, int width = 32);        \
  CM_D T __shfl(T, int, int width = 32);                               \
  CM_D T __shfl_up(T, unsigned int, int width = 32);                   \
  CM_D T __shfl_down(T, unsigned int, int width = 32);                 \
  CM_D T __shfl_xor(T, int, int width = 32);                           \
  CM_D unsigned int __match_any_sync(unsigned int, T);                 \
  CM_D unsigned int __match_all_sync(unsigned int, T, int*);
CM_WARP(int)
CM_WARP(unsigned int)
CM_WARP(long int)
CM_WARP(unsigned long int)
CM_WARP(long long int)
CM_WARP(unsigned long long int)
CM_WARP(float)
CM_WARP(double)

CM_D unsigned int __reduce_add_sync(unsigned int, unsigned int);
CM_D unsigned int __reduce_min_sync(unsigned int, unsigned int);
CM_D unsigned int __reduce_max_sync(unsigned int, unsigned int);
CM_D int __reduce_add_sync(unsigned int, int);
CM_D int __reduce_min_sync(unsigned int, int);
CM_D int __reduce_max_sync(unsigned int, int);
CM_D unsigned int __reduce_and_sync(unsigned int, unsigned int);
CM_D unsigned int __reduce_or_sync(unsigned int, unsigned int);
CM_D unsigned int __reduce_xor_sync(unsigned int, unsigned int);

// --- atomics --------------------------------------------------------------------------------
// Atomic types of libcu++ are used on the host too, where these stand for what they do.
#define CM_HD __host__ __device__
#define CM_ATOMIC(name, T)       \
  CM_HD T name(T*, T);            \
  CM_HD T name##_block(T*, T);    \
  CM_HD T name##_system(T*, T);
#define CM_ATOMIC_INT(name)               \
  CM_ATOMIC(name, int)                    \
  CM_ATOMIC(name, unsigned int)           \
  CM_ATOMIC(name, unsigned long long int)
#define CM_ATOMIC_CAS(T)                  \
  CM_HD T atomicCAS(T*, T, T);             \
  CM_HD T atomicCAS_block(T*, T, T);       \
  CM_HD T atomicCAS_system(T*, T, T);
CM_ATOMIC_INT(atomicAdd)
CM_ATOMIC(atomicAdd, float)
CM_ATOMIC(atomicAdd, double)
CM_ATOMIC(atomicSub, int)
CM_ATOMIC(atomicSub, unsigned int)
CM_ATOMIC_INT(atomicExch)
CM_ATOMIC(atomicExch, float)
CM_ATOMIC_INT(atomicMin)
CM_ATOMIC(atomicMin, long long int)
CM_ATOMIC_INT(atomicMax)
CM_ATOMIC(atomicMax, long long int)
CM_ATOMIC(atomicInc, unsigned int)
CM_ATOMIC(atomicDec, unsigned int)
CM_ATOMIC_INT(atomicAnd)
CM_ATOMIC_INT(atomicOr)
CM_ATOMIC_INT(atomicXor)
CM_ATOMIC_CAS(int)
CM_ATOMIC_CAS(unsigned int)
CM_ATOMIC_CAS(unsigned long long int)
CM_ATOMIC_CAS(unsigned short int)

// --- loads and stores with a cache hint -----------------------------------------------------
#define CM_CACHED(T)                                                               \
  CM_D T __ldg(const T*); CM_D T __ldca(const T*); CM_D T __ldcg(const T*);        \
  CM_D T __ldcs(const T*); CM_D T __ldlu(const T*); CM_D T __ldcv(const T*);       \
  CM_D void __stwb(T*, T); CM_D void __stcg(T*, T); CM_D void __stcs(T*, T); CM_D void __stwt(T*, T);
CM_CACHED(char) CM_CACHED(signed char) CM_CACHED(unsigned char) CM_CACHED(short)
CM_CACHED(unsigned short) CM_CACHED(int) CM_CACHED(unsigned int) CM_CACHED(long)
CM_CACHED(unsigned long) CM_CACHED(long long) CM_CACHED(unsigned long long) CM_CACHED(float)
CM_CACHED(double) CM_CACHED(char2) CM_CACHED(char4) CM_CACHED(uchar2) CM_CACHED(uchar4)
CM_CACHED(short2) CM_CACHED(short4) CM_CACHED(ushort2) CM_CACHED(ushort4) CM_CACHED(int2)
CM_CACHED(int4) CM_CACHED(uint2) CM_CACHED(uint4) CM_CACHED(longlong2) CM_CACHED(ulonglong2)
CM_CACHED(float2) CM_CACHED(float4) CM_CACHED(double2)

// --- address spaces -------------------------------------------------------------------------
CM_D unsigned int __isGlobal(const void*);
CM_D unsigned int __isShared(const void*);
CM_D unsigned int __isConstant(const void*);
CM_D unsigned int __isLocal(const void*);
CM_D size_t __cvta_generic_to_shared(const void*);
CM_D size_t __cvta_generic_to_global(const void*);
