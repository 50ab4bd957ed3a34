// bfloat16 in software, with the arithmetic rules of half.h.
#pragma once

#include "half.h"

namespace cuda_emu {

inline std::uint16_t float_to_bf16_bits(float f, Round mode = Round::nearest) {
  std::uint32_t u = float_bits(f);
  if ((u & 0x7FFFFFFFu) > 0x7F800000u) return 0x7FFFu;
  std::uint32_t rest = u & 0xFFFFu, value = u >> 16;
  bool negative = u >> 31;
  bool up = mode == Round::nearest ? rest > 0x8000u || (rest == 0x8000u && (value & 1u))
            : mode == Round::up    ? rest && !negative
            : mode == Round::down  ? rest && negative
                                   : false;
  return static_cast<std::uint16_t>(value + up);
}

}  // namespace cuda_emu

struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };

struct __attribute__((aligned(2))) __nv_bfloat16 {
 protected:
  unsigned short __x;

 public:
  __nv_bfloat16() = default;
  constexpr __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {}
  __nv_bfloat16(float f) : __x(cuda_emu::float_to_bf16_bits(f)) {}
  __nv_bfloat16(double d) : __x(cuda_emu::float_to_bf16_bits(cuda_emu::round_to_odd(d))) {}
  __nv_bfloat16(int v) : __nv_bfloat16(static_cast<double>(v)) {}
  __nv_bfloat16(unsigned v) : __nv_bfloat16(static_cast<double>(v)) {}
  __nv_bfloat16(short v) : __nv_bfloat16(static_cast<float>(v)) {}
  __nv_bfloat16(unsigned short v) : __nv_bfloat16(static_cast<float>(v)) {}
  __nv_bfloat16(long v) : __nv_bfloat16(static_cast<double>(v)) {}
  __nv_bfloat16(unsigned long v) : __nv_bfloat16(static_cast<double>(v)) {}
  __nv_bfloat16(long long v) : __nv_bfloat16(static_cast<double>(v)) {}
  __nv_bfloat16(unsigned long long v) : __nv_bfloat16(static_cast<double>(v)) {}
  explicit __nv_bfloat16(const __half &h) : __nv_bfloat16(static_cast<float>(h)) {}

  operator float() const { return cuda_emu::bits_float(static_cast<std::uint32_t>(__x) << 16); }
  operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
  explicit operator double() const { return static_cast<float>(*this); }
  explicit operator bool() const { return (__x & 0x7FFFu) != 0; }
  // Conversions to integers saturate (low_precision_integers.h).
#define CUDA_EMU_TO(T) explicit operator T() const;
  CUDA_EMU_TO(char) CUDA_EMU_TO(signed char) CUDA_EMU_TO(unsigned char) CUDA_EMU_TO(short)
  CUDA_EMU_TO(unsigned short) CUDA_EMU_TO(int) CUDA_EMU_TO(unsigned) CUDA_EMU_TO(long)
  CUDA_EMU_TO(unsigned long) CUDA_EMU_TO(long long) CUDA_EMU_TO(unsigned long long)
#undef CUDA_EMU_TO
};
typedef __nv_bfloat16 nv_bfloat16;

struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
};
typedef __nv_bfloat162 nv_bfloat162;

inline float __bfloat162float(__nv_bfloat16 h) { return static_cast<float>(h); }
inline __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
inline __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
inline __nv_bfloat16 __double2bfloat16(double d) { return __nv_bfloat16(d); }
inline __nv_bfloat16 __float2bfloat16_rz(float f) {
  return __nv_bfloat16_raw{cuda_emu::float_to_bf16_bits(f, cuda_emu::Round::zero)};
}
inline __nv_bfloat16 __float2bfloat16_ru(float f) {
  return __nv_bfloat16_raw{cuda_emu::float_to_bf16_bits(f, cuda_emu::Round::up)};
}
inline __nv_bfloat16 __float2bfloat16_rd(float f) {
  return __nv_bfloat16_raw{cuda_emu::float_to_bf16_bits(f, cuda_emu::Round::down)};
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) {
  return static_cast<__nv_bfloat16_raw>(h).x;
}
inline short __bfloat16_as_short(__nv_bfloat16 h) {
  return static_cast<short>(__bfloat16_as_ushort(h));
}
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short u) { return __nv_bfloat16_raw{u}; }
inline __nv_bfloat16 __short_as_bfloat16(short s) {
  return __nv_bfloat16_raw{static_cast<unsigned short>(s)};
}

#define CUDA_EMU_LOWP __nv_bfloat16
#define CUDA_EMU_LOWP2 __nv_bfloat162
#define CUDA_EMU_LOWP_FMA(a, b, c)                                                             \
  __nv_bfloat16(cuda_emu::fused_to_odd(static_cast<float>(a), static_cast<float>(b),           \
                                       static_cast<float>(c)))
#include "low_precision.h"
#undef CUDA_EMU_LOWP
#undef CUDA_EMU_LOWP2
#undef CUDA_EMU_LOWP_FMA

inline __nv_bfloat162 __float2bfloat162_rn(float f) {
  return __nv_bfloat162(__nv_bfloat16(f), __nv_bfloat16(f));
}
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 f) { return __floats2bfloat162_rn(f.x, f.y); }
inline float2 __bfloat1622float2(__nv_bfloat162 h) {
  return float2{static_cast<float>(h.x), static_cast<float>(h.y)};
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 h) { return __nv_bfloat162(h, h); }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 h) { return h.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 h) { return h.y; }
inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.x, h.x); }
inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.y, h.y); }
inline float __low2float(__nv_bfloat162 h) { return static_cast<float>(h.x); }
inline float __high2float(__nv_bfloat162 h) { return static_cast<float>(h.y); }
