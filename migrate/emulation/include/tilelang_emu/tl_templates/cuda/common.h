// Type names and device helpers of TileLang's generated CUDA, over the CUDA runtime for the CPU.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "narrow_float.h"

#define uint unsigned int
#define uchar unsigned char
#define ushort unsigned short

#define TL_DEVICE inline

using half_t = tilelang_emu::Narrow<__half>;
using bfloat16_t = tilelang_emu::Narrow<__nv_bfloat16>;

// Functions that generated code calls on 16-bit values, by way of the native types.
#define TILELANG_EMU_UNARY(name)                                        \
  inline half_t name(half_t x) { return half_t(name(x.native())); }     \
  inline bfloat16_t name(bfloat16_t x) { return bfloat16_t(name(x.native())); }
TILELANG_EMU_UNARY(__habs)
TILELANG_EMU_UNARY(hceil)
TILELANG_EMU_UNARY(hcos)
TILELANG_EMU_UNARY(hexp)
TILELANG_EMU_UNARY(hexp10)
TILELANG_EMU_UNARY(hexp2)
TILELANG_EMU_UNARY(hfloor)
TILELANG_EMU_UNARY(hlog)
TILELANG_EMU_UNARY(hlog10)
TILELANG_EMU_UNARY(hlog2)
TILELANG_EMU_UNARY(hrcp)
TILELANG_EMU_UNARY(hrint)
TILELANG_EMU_UNARY(hrsqrt)
TILELANG_EMU_UNARY(hsin)
TILELANG_EMU_UNARY(hsqrt)
TILELANG_EMU_UNARY(htrunc)
#undef TILELANG_EMU_UNARY

// Those that have no native form are computed as floats.
#define TILELANG_EMU_AS_FLOAT(name, function)                                                  \
  inline half_t name(half_t x) { return half_t(function(static_cast<float>(x))); }             \
  inline bfloat16_t name(bfloat16_t x) { return bfloat16_t(function(static_cast<float>(x))); }
TILELANG_EMU_AS_FLOAT(hatan, atanf)
TILELANG_EMU_AS_FLOAT(hcosh, coshf)
TILELANG_EMU_AS_FLOAT(herf, erff)
TILELANG_EMU_AS_FLOAT(hnearbyint, nearbyintf)
TILELANG_EMU_AS_FLOAT(hsinh, sinhf)
TILELANG_EMU_AS_FLOAT(htan, tanf)
TILELANG_EMU_AS_FLOAT(htanh, tanhf)
#undef TILELANG_EMU_AS_FLOAT
