// Complex numbers of CUDA: float2 and double2 under other names, with real bodies so that the
// arithmetic that a program relies on is read like any device function.
#pragma once

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define CM_COMPLEX static __inline__ __host__ __device__
CM_COMPLEX float cuCrealf(cuFloatComplex v) { return v.x; }
CM_COMPLEX float cuCimagf(cuFloatComplex v) { return v.y; }
CM_COMPLEX cuFloatComplex make_cuFloatComplex(float r, float i) {
  cuFloatComplex v;
  v.x = r;
  v.y = i;
  return v;
}
CM_COMPLEX cuComplex make_cuComplex(float r, float i) { return make_cuFloatComplex(r, i); }
CM_COMPLEX cuFloatComplex cuConjf(cuFloatComplex v) { return make_cuFloatComplex(v.x, -v.y); }
CM_COMPLEX cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) {
  return make_cuFloatComplex(a.x + b.x, a.y + b.y);
}
CM_COMPLEX cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) {
  return make_cuFloatComplex(a.x - b.x, a.y - b.y);
}
CM_COMPLEX cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) {
  return make_cuFloatComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
CM_COMPLEX cuFloatComplex cuCfmaf(cuComplex a, cuComplex b, cuComplex c) {
  return make_cuFloatComplex((a.x * b.x + c.x) - a.y * b.y, (a.x * b.y + c.y) + a.y * b.x);
}
// Scaled by the divisor's size, so that the squares do not overflow.
CM_COMPLEX cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) {
  float scale = 1.0f / (fabsf(b.x) + fabsf(b.y));
  float ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale;
  float over = 1.0f / (br * br + bi * bi);
  return make_cuFloatComplex((ar * br + ai * bi) * over, (ai * br - ar * bi) * over);
}
CM_COMPLEX float cuCabsf(cuFloatComplex v) { return hypotf(v.x, v.y); }

CM_COMPLEX double cuCreal(cuDoubleComplex v) { return v.x; }
CM_COMPLEX double cuCimag(cuDoubleComplex v) { return v.y; }
CM_COMPLEX cuDoubleComplex make_cuDoubleComplex(double r, double i) {
  cuDoubleComplex v;
  v.x = r;
  v.y = i;
  return v;
}
CM_COMPLEX cuDoubleComplex cuConj(cuDoubleComplex v) { return make_cuDoubleComplex(v.x, -v.y); }
CM_COMPLEX cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) {
  return make_cuDoubleComplex(a.x + b.x, a.y + b.y);
}
CM_COMPLEX cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) {
  return make_cuDoubleComplex(a.x - b.x, a.y - b.y);
}
CM_COMPLEX cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) {
  return make_cuDoubleComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
CM_COMPLEX cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
  return make_cuDoubleComplex((a.x * b.x + c.x) - a.y * b.y, (a.x * b.y + c.y) + a.y * b.x);
}
CM_COMPLEX cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) {
  double scale = 1.0 / (fabs(b.x) + fabs(b.y));
  double ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale;
  double over = 1.0 / (br * br + bi * bi);
  return make_cuDoubleComplex((ar * br + ai * bi) * over, (ai * br - ar * bi) * over);
}
CM_COMPLEX double cuCabs(cuDoubleComplex v) { return hypot(v.x, v.y); }
CM_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex v) {
  return make_cuDoubleComplex((double)v.x, (double)v.y);
}
CM_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex v) {
  return make_cuFloatComplex((float)v.x, (float)v.y);
}
#undef CM_COMPLEX
