// Half and bfloat16 to and from integers. As on a device, conversions to integers saturate and NaN
// gives 0 (PTX ISA, cvt).
#pragma once

#include "bfloat16.h"
#include "half.h"
#include "rounding.h"

#define CUDA_EMU_TO(T)                                                                          \
  inline __half::operator T() const {                                                           \
    return cuda_emu::to_integer<T>(static_cast<float>(*this), cuda_emu::Round::zero);           \
  }                                                                                             \
  inline __nv_bfloat16::operator T() const {                                                    \
    return cuda_emu::to_integer<T>(static_cast<float>(*this), cuda_emu::Round::zero);           \
  }
CUDA_EMU_TO(char)
CUDA_EMU_TO(signed char)
CUDA_EMU_TO(unsigned char)
CUDA_EMU_TO(short)
CUDA_EMU_TO(unsigned short)
CUDA_EMU_TO(int)
CUDA_EMU_TO(unsigned)
CUDA_EMU_TO(long)
CUDA_EMU_TO(unsigned long)
CUDA_EMU_TO(long long)
CUDA_EMU_TO(unsigned long long)
#undef CUDA_EMU_TO

namespace cuda_emu {
// An integer as a float rounded to odd, from which 16-bit formats round correctly in any mode.
template <class I>
float integer_to_odd(I v) {
  float down = from_integer<float>(v, Round::zero);
  bool exact = static_cast<__int128>(down) == static_cast<__int128>(v);
  return exact ? down : bits_float(float_bits(down) | 1u);
}
}  // namespace cuda_emu

#define CUDA_EMU_LOWP_INT(type, stem, name, T, suffix, mode, rounder)                           \
  inline type __##name##2##stem##_##suffix(T v) {                                               \
    return type##_raw{rounder(cuda_emu::integer_to_odd(v), cuda_emu::Round::mode)};             \
  }                                                                                             \
  inline T __##stem##2##name##_##suffix(type h) {                                               \
    return cuda_emu::to_integer<T>(static_cast<float>(h), cuda_emu::Round::mode);               \
  }
#define CUDA_EMU_LOWP_MODES(type, stem, name, T, rounder)                                       \
  CUDA_EMU_LOWP_INT(type, stem, name, T, rn, nearest, rounder)                                  \
  CUDA_EMU_LOWP_INT(type, stem, name, T, rz, zero, rounder)                                     \
  CUDA_EMU_LOWP_INT(type, stem, name, T, ru, up, rounder)                                       \
  CUDA_EMU_LOWP_INT(type, stem, name, T, rd, down, rounder)
#define CUDA_EMU_LOWP_TYPES(type, stem, rounder)                                                \
  CUDA_EMU_LOWP_MODES(type, stem, int, int, rounder)                                            \
  CUDA_EMU_LOWP_MODES(type, stem, uint, unsigned int, rounder)                                  \
  CUDA_EMU_LOWP_MODES(type, stem, short, short, rounder)                                        \
  CUDA_EMU_LOWP_MODES(type, stem, ushort, unsigned short, rounder)                              \
  CUDA_EMU_LOWP_MODES(type, stem, ll, long long, rounder)                                       \
  CUDA_EMU_LOWP_MODES(type, stem, ull, unsigned long long, rounder)
CUDA_EMU_LOWP_TYPES(__half, half, cuda_emu::float_to_half_bits)
CUDA_EMU_LOWP_TYPES(__nv_bfloat16, bfloat16, cuda_emu::float_to_bf16_bits)
#undef CUDA_EMU_LOWP_TYPES
#undef CUDA_EMU_LOWP_MODES
#undef CUDA_EMU_LOWP_INT
inline signed char __half2char_rz(__half h) { return static_cast<signed char>(h); }
inline unsigned char __half2uchar_rz(__half h) { return static_cast<unsigned char>(h); }
inline signed char __bfloat162char_rz(__nv_bfloat16 h) { return static_cast<signed char>(h); }
inline unsigned char __bfloat162uchar_rz(__nv_bfloat16 h) { return static_cast<unsigned char>(h); }
