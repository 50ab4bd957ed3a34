// make_float4 and its relatives: one value per member.
#pragma once

#include "vector_types.h"

#define CUDAMIGRATE_MAKE(base, name)                                  \
  __host__ __device__ name##1 make_##name##1(base x);                 \
  __host__ __device__ name##2 make_##name##2(base x, base y);         \
  __host__ __device__ name##3 make_##name##3(base x, base y, base z); \
  __host__ __device__ name##4 make_##name##4(base x, base y, base z, base w);

CUDAMIGRATE_MAKE(signed char, char)
CUDAMIGRATE_MAKE(unsigned char, uchar)
CUDAMIGRATE_MAKE(short, short)
CUDAMIGRATE_MAKE(unsigned short, ushort)
CUDAMIGRATE_MAKE(int, int)
CUDAMIGRATE_MAKE(unsigned int, uint)
CUDAMIGRATE_MAKE(long int, long)
CUDAMIGRATE_MAKE(unsigned long int, ulong)
CUDAMIGRATE_MAKE(long long int, longlong)
CUDAMIGRATE_MAKE(unsigned long long int, ulonglong)
CUDAMIGRATE_MAKE(float, float)
CUDAMIGRATE_MAKE(double, double)
#undef CUDAMIGRATE_MAKE
