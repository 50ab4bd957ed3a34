// SIMD-in-a-word intrinsics by bytes and half-words beyond those in integer_math.h, and the fused
// minima and maxima (DPX).
#pragma once

#include "integer_math.h"

namespace cuda_emu {
// The same for values that are signed in their lane.
template <unsigned Width, class Operation>
unsigned by_signed_lanes(unsigned a, unsigned b, Operation operation) {
  return by_lanes<Width>(a, b, [&](unsigned x, unsigned y) {
    return static_cast<unsigned>(operation(sext(x, Width), sext(y, Width)));
  });
}
template <unsigned Width> unsigned sum_of_lanes(unsigned v) {
  unsigned sum = 0;
  for (unsigned at = 0; at < 32; at += Width) sum += v >> at & ((1u << Width) - 1u);
  return sum;
}
}  // namespace cuda_emu

#define CUDA_EMU_COMPARE(suffix, W, name, op)                                                   \
  static inline unsigned __vcmp##name##u##suffix(unsigned a, unsigned b) {                      \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) { return x op y ? ~0u : 0u; }); \
  }                                                                                             \
  static inline unsigned __vcmp##name##s##suffix(unsigned a, unsigned b) {                      \
    return cuda_emu::by_signed_lanes<W>(a, b, [](int x, int y) { return x op y ? -1 : 0; });    \
  }                                                                                             \
  static inline unsigned __vset##name##u##suffix(unsigned a, unsigned b) {                      \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) { return x op y ? 1u : 0u; }); \
  }                                                                                             \
  static inline unsigned __vset##name##s##suffix(unsigned a, unsigned b) {                      \
    return cuda_emu::by_signed_lanes<W>(a, b, [](int x, int y) { return x op y ? 1 : 0; });     \
  }
#define CUDA_EMU_UNSIGNED(suffix, W, name, expression)                                          \
  static inline unsigned __v##name##suffix(unsigned a, unsigned b) {                            \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) { return expression; });      \
  }
#define CUDA_EMU_SIGNED(suffix, W, name, expression)                                            \
  static inline unsigned __v##name##suffix(unsigned a, unsigned b) {                            \
    return cuda_emu::by_signed_lanes<W>(a, b, [](int x, int y) { return expression; });         \
  }
#define CUDA_EMU_LANES(suffix, W)                                                               \
  CUDA_EMU_COMPARE(suffix, W, ge, >=)                                                           \
  CUDA_EMU_COMPARE(suffix, W, lt, <)                                                            \
  CUDA_EMU_COMPARE(suffix, W, le, <=)                                                           \
  CUDA_EMU_UNSIGNED(suffix, W, seteq, x == y ? 1u : 0u)                                         \
  CUDA_EMU_UNSIGNED(suffix, W, setne, x != y ? 1u : 0u)                                         \
  CUDA_EMU_SIGNED(suffix, W, cmpgts, x > y ? -1 : 0)                                            \
  CUDA_EMU_UNSIGNED(suffix, W, setgtu, x > y ? 1u : 0u)                                         \
  CUDA_EMU_SIGNED(suffix, W, setgts, x > y ? 1 : 0)                                             \
  CUDA_EMU_UNSIGNED(suffix, W, addus, x + y > (1u << W) - 1u ? (1u << W) - 1u : x + y)          \
  CUDA_EMU_UNSIGNED(suffix, W, subus, x > y ? x - y : 0u)                                       \
  CUDA_EMU_UNSIGNED(suffix, W, avgu, (x + y + 1) >> 1)                                          \
  CUDA_EMU_UNSIGNED(suffix, W, haddu, (x + y) >> 1)                                             \
  CUDA_EMU_SIGNED(suffix, W, avgs, (x + y + (x + y >= 0)) >> 1)                                 \
  CUDA_EMU_SIGNED(suffix, W, absdiffs, x > y ? x - y : y - x)                                   \
  static inline unsigned __vabs##suffix(unsigned a) {                                           \
    return cuda_emu::by_signed_lanes<W>(a, 0, [](int x, int) { return x < 0 ? -x : x; });       \
  }                                                                                             \
  static inline unsigned __vabsss##suffix(unsigned a) {                                         \
    return cuda_emu::by_signed_lanes<W>(a, 0, [](int x, int) {                                  \
      return cuda_emu::clamp_int(x < 0 ? -x : x, 0, (1 << (W - 1)) - 1);                        \
    });                                                                                         \
  }                                                                                             \
  static inline unsigned __vneg##suffix(unsigned a) {                                           \
    return cuda_emu::by_signed_lanes<W>(a, 0, [](int x, int) { return -x; });                   \
  }                                                                                             \
  static inline unsigned __vnegss##suffix(unsigned a) {                                         \
    return cuda_emu::by_signed_lanes<W>(a, 0, [](int x, int) {                                  \
      return cuda_emu::clamp_int(-x, -(1 << (W - 1)), (1 << (W - 1)) - 1);                      \
    });                                                                                         \
  }                                                                                             \
  static inline unsigned __vsadu##suffix(unsigned a, unsigned b) {                              \
    return cuda_emu::sum_of_lanes<W>(__vabsdiffu##suffix(a, b));                                \
  }                                                                                             \
  static inline unsigned __vsads##suffix(unsigned a, unsigned b) {                              \
    return cuda_emu::sum_of_lanes<W>(__vabsdiffs##suffix(a, b));                                \
  }
CUDA_EMU_LANES(2, 16)
CUDA_EMU_LANES(4, 8)
#undef CUDA_EMU_LANES
#undef CUDA_EMU_COMPARE
#undef CUDA_EMU_UNSIGNED
#undef CUDA_EMU_SIGNED

#define CUDA_EMU_DPX(suffix, T)                                                                 \
  static inline T __vimax3_##suffix(T a, T b, T c) { return max(max(a, b), c); }                \
  static inline T __vimin3_##suffix(T a, T b, T c) { return min(min(a, b), c); }                \
  static inline T __viaddmax_##suffix(T a, T b, T c) { return max(static_cast<T>(a + b), c); }  \
  static inline T __viaddmin_##suffix(T a, T b, T c) { return min(static_cast<T>(a + b), c); }  \
  static inline T __vibmax_##suffix(T a, T b, bool *first) { return *first = a >= b, max(a, b); } \
  static inline T __vibmin_##suffix(T a, T b, bool *first) { return *first = a <= b, min(a, b); }
CUDA_EMU_DPX(s32, int)
CUDA_EMU_DPX(u32, unsigned int)
#undef CUDA_EMU_DPX
#define CUDA_EMU_RELU(name)                                                                     \
  static inline int __vi##name##_s32_relu(int a, int b, int c) { return max(__vi##name##_s32(a, b, c), 0); }
CUDA_EMU_RELU(max3)
CUDA_EMU_RELU(min3)
CUDA_EMU_RELU(addmax)
CUDA_EMU_RELU(addmin)
#undef CUDA_EMU_RELU
