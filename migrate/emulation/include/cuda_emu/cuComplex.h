// Complex numbers of CUDA's C interface.
#pragma once

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define CUDA_EMU_COMPLEX(C, T, S, hypotenuse)                                                      \
  static inline T cuCreal##S(C a) { return a.x; }                                                  \
  static inline T cuCimag##S(C a) { return a.y; }                                                  \
  static inline C cuConj##S(C a) { return C{a.x, -a.y}; }                                          \
  static inline C cuCadd##S(C a, C b) { return C{a.x + b.x, a.y + b.y}; }                          \
  static inline C cuCsub##S(C a, C b) { return C{a.x - b.x, a.y - b.y}; }                          \
  static inline C cuCmul##S(C a, C b) {                                                            \
    return C{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                        \
  }                                                                                                \
  static inline C cuCdiv##S(C a, C b) {                                                            \
    T scale = T(1) / (std::fabs(b.x) + std::fabs(b.y));                                            \
    T ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale;                      \
    T over = T(1) / (br * br + bi * bi);                                                           \
    return C{(ar * br + ai * bi) * over, (ai * br - ar * bi) * over};                              \
  }                                                                                                \
  static inline T cuCabs##S(C a) { return hypotenuse(a.x, a.y); }                                  \
  static inline C cuCfma##S(C a, C b, C c) {                                                       \
    return C{a.x * b.x + c.x - a.y * b.y, a.x * b.y + (a.y * b.x + c.y)};                          \
  }
CUDA_EMU_COMPLEX(cuFloatComplex, float, f, hypotf)
CUDA_EMU_COMPLEX(cuDoubleComplex, double, , hypot)
#undef CUDA_EMU_COMPLEX

static inline cuFloatComplex make_cuFloatComplex(float r, float i) { return cuFloatComplex{r, i}; }
static inline cuDoubleComplex make_cuDoubleComplex(double r, double i) { return cuDoubleComplex{r, i}; }
static inline cuComplex make_cuComplex(float r, float i) { return cuComplex{r, i}; }
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return cuDoubleComplex{c.x, c.y}; }
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
  return cuFloatComplex{static_cast<float>(c.x), static_cast<float>(c.y)};
}
