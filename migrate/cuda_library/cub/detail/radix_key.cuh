// Keys as unsigned numbers of the same order. Both zeros of a floating-point type are one key.
#pragma once

#include "cuda_fp16.h"
#include "cuda_bf16.h"

namespace cub {
namespace detail {

__device__ __forceinline__ unsigned int radix_key(bool v) { return v; }
__device__ __forceinline__ unsigned int radix_key(unsigned char v) { return v; }
__device__ __forceinline__ unsigned int radix_key(unsigned short v) { return v; }
__device__ __forceinline__ unsigned int radix_key(unsigned int v) { return v; }
__device__ __forceinline__ unsigned long long radix_key(unsigned long v) { return v; }
__device__ __forceinline__ unsigned long long radix_key(unsigned long long v) {
  return v;
}
__device__ __forceinline__ unsigned int radix_key(signed char v) {
  return static_cast<unsigned char>(v) ^ 0x80u;
}
__device__ __forceinline__ unsigned int radix_key(char v) {
  return radix_key(static_cast<signed char>(v));
}
__device__ __forceinline__ unsigned int radix_key(short v) {
  return static_cast<unsigned short>(v) ^ 0x8000u;
}
__device__ __forceinline__ unsigned int radix_key(int v) {
  return static_cast<unsigned int>(v) ^ 0x80000000u;
}
__device__ __forceinline__ unsigned long long radix_key(long long v) {
  return static_cast<unsigned long long>(v) ^ 0x8000000000000000ull;
}
__device__ __forceinline__ unsigned long long radix_key(long v) {
  return radix_key(static_cast<long long>(v));
}

// Negative numbers are in the opposite order of their bits.
__device__ __forceinline__ unsigned int radix_key_of_half(unsigned int bits) {
  if (bits == 0x8000u) return 0x8000u;
  return bits & 0x8000u ? bits ^ 0xffffu : bits ^ 0x8000u;
}
__device__ __forceinline__ unsigned int radix_key(float v) {
  const unsigned int bits = static_cast<unsigned int>(__float_as_int(v));
  if (bits == 0x80000000u) return 0x80000000u;
  return bits & 0x80000000u ? ~bits : bits ^ 0x80000000u;
}
__device__ __forceinline__ unsigned long long radix_key(double v) {
  const unsigned long long bits = static_cast<unsigned long long>(__double_as_longlong(v));
  if (bits == 0x8000000000000000ull) return 0x8000000000000000ull;
  return bits & 0x8000000000000000ull ? ~bits : bits ^ 0x8000000000000000ull;
}
__device__ __forceinline__ unsigned int radix_key(__half v) {
  return radix_key_of_half(__half_as_ushort(v));
}
__device__ __forceinline__ unsigned int radix_key(__nv_bfloat16 v) {
  return radix_key_of_half(__bfloat16_as_ushort(v));
}

}  // namespace detail
}  // namespace cub
