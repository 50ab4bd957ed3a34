// CUDA's vector types: plain structs in the global namespace, so that names mangle as CUDA's do.
// Alignments are those of the CUDA C++ programming guide ("Built-in Vector Types").
#pragma once

#define CUDA_EMU_VEC(T, N, A2, A4)                                                               \
  struct N##1 { T x; };                                                                          \
  struct __attribute__((aligned(A2))) N##2 { T x, y; };                                          \
  struct N##3 { T x, y, z; };                                                                    \
  struct __attribute__((aligned(A4))) N##4 { T x, y, z, w; };                                    \
  static inline constexpr N##1 make_##N##1(T x) { return N##1{x}; }                              \
  static inline constexpr N##2 make_##N##2(T x, T y) { return N##2{x, y}; }                      \
  static inline constexpr N##3 make_##N##3(T x, T y, T z) { return N##3{x, y, z}; }              \
  static inline constexpr N##4 make_##N##4(T x, T y, T z, T w) { return N##4{x, y, z, w}; }

CUDA_EMU_VEC(signed char, char, 2, 4)
CUDA_EMU_VEC(unsigned char, uchar, 2, 4)
CUDA_EMU_VEC(short, short, 4, 8)
CUDA_EMU_VEC(unsigned short, ushort, 4, 8)
CUDA_EMU_VEC(int, int, 8, 16)
CUDA_EMU_VEC(unsigned int, uint, 8, 16)
CUDA_EMU_VEC(long, long, 16, 16)
CUDA_EMU_VEC(unsigned long, ulong, 16, 16)
CUDA_EMU_VEC(float, float, 8, 16)
CUDA_EMU_VEC(long long, longlong, 16, 16)
CUDA_EMU_VEC(unsigned long long, ulonglong, 16, 16)
CUDA_EMU_VEC(double, double, 16, 16)
#undef CUDA_EMU_VEC

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
