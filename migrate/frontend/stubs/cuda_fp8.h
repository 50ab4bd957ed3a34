// 8-bit floating-point numbers of CUDA: the shape of the API, without bodies.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

#define CM_FP8 __host__ __device__
CM_FP8 __nv_fp8_storage_t __nv_cvt_float_to_fp8(float, __nv_saturation_t,
                                                __nv_fp8_interpretation_t);
CM_FP8 __nv_fp8_storage_t __nv_cvt_double_to_fp8(double, __nv_saturation_t,
                                                 __nv_fp8_interpretation_t);
CM_FP8 __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw, __nv_saturation_t,
                                                  __nv_fp8_interpretation_t);
CM_FP8 __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw, __nv_saturation_t,
                                                      __nv_fp8_interpretation_t);
CM_FP8 __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t, __nv_fp8_interpretation_t);

#define CM_FP8_TYPE(name)             \
  struct name {                       \
    __nv_fp8_storage_t __x;           \
    name() = default;                 \
    CM_FP8 explicit name(float);      \
    CM_FP8 explicit name(double);     \
    CM_FP8 explicit name(__half);     \
    CM_FP8 explicit name(__nv_bfloat16); \
    CM_FP8 explicit operator float() const; \
    CM_FP8 explicit operator __half() const; \
  };
CM_FP8_TYPE(__nv_fp8_e4m3)
CM_FP8_TYPE(__nv_fp8_e5m2)
#undef CM_FP8_TYPE
#undef CM_FP8
