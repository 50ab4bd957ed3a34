// CUDA's built-in vector types: names, members and alignments.
#pragma once

#include "cudamigrate_builtins.h"

#define CUDAMIGRATE_VECTOR(base, name, a2, a4)                \
  struct name##1 { base x; };                                 \
  struct __attribute__((aligned(a2))) name##2 { base x, y; }; \
  struct name##3 { base x, y, z; };                           \
  struct __attribute__((aligned(a4))) name##4 { base x, y, z, w; };

CUDAMIGRATE_VECTOR(signed char, char, 2, 4)
CUDAMIGRATE_VECTOR(unsigned char, uchar, 2, 4)
CUDAMIGRATE_VECTOR(short, short, 4, 8)
CUDAMIGRATE_VECTOR(unsigned short, ushort, 4, 8)
CUDAMIGRATE_VECTOR(int, int, 8, 16)
CUDAMIGRATE_VECTOR(unsigned int, uint, 8, 16)
CUDAMIGRATE_VECTOR(long int, long, 16, 16)
CUDAMIGRATE_VECTOR(unsigned long int, ulong, 16, 16)
CUDAMIGRATE_VECTOR(long long int, longlong, 16, 16)
CUDAMIGRATE_VECTOR(unsigned long long int, ulonglong, 16, 16)
CUDAMIGRATE_VECTOR(float, float, 8, 16)
CUDAMIGRATE_VECTOR(double, double, 16, 16)
#undef CUDAMIGRATE_VECTOR

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
