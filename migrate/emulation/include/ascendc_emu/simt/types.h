// dim3 and the short vector types of SIMT device code, with their make_ functions.
#pragma once

#include <cstdint>

#include "../emu/half.h"
#include "../emu/settings.h"

#if __NPU_ARCH__ == 2201
#error "the SIMT API exists on Ascend 950 only: compile with __NPU_ARCH__=3510"
#endif

#define __global__
#define __host__
#define __aicore__
#define __simt_callee__
#define __gm__
#define __ubuf__
#define __launch_bounds__(...)
#define __maxnreg__(...)

namespace ascendc_emu {
namespace simt {
/// asc_rewrite puts this in place of `double` in device code; it has no definition, so nothing can be declared with it.
struct dtype_unsupported_double;
} // namespace simt
} // namespace ascendc_emu

using uint = unsigned int;
using ushort = unsigned short;

struct dim3 {
    uint32_t x = 1, y = 1, z = 1;
    constexpr dim3() = default;
    constexpr dim3(uint32_t x_, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
};

#define ASCENDC_EMU_VECTORS(T, name, a2, a4)                                                                                        \
    struct name##1 {                                                                                                                \
        T x;                                                                                                                        \
    };                                                                                                                              \
    struct alignas(a2) name##2 {                                                                                                    \
        T x, y;                                                                                                                     \
    };                                                                                                                              \
    struct name##3 {                                                                                                                \
        T x, y, z;                                                                                                                  \
    };                                                                                                                              \
    struct alignas(a4) name##4 {                                                                                                    \
        T x, y, z, w;                                                                                                               \
    };                                                                                                                              \
    inline name##1 make_##name##1(T x) { return {x}; }                                                                              \
    inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                                                      \
    inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                                              \
    inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
ASCENDC_EMU_VECTORS(signed char, char, 2, 4)
ASCENDC_EMU_VECTORS(unsigned char, uchar, 2, 4)
ASCENDC_EMU_VECTORS(short, short, 4, 8)
ASCENDC_EMU_VECTORS(unsigned short, ushort, 4, 8)
ASCENDC_EMU_VECTORS(int, int, 8, 16)
ASCENDC_EMU_VECTORS(unsigned int, uint, 8, 16)
ASCENDC_EMU_VECTORS(float, float, 8, 16)
ASCENDC_EMU_VECTORS(long, long, 16, 16)
ASCENDC_EMU_VECTORS(unsigned long, ulong, 16, 16)
ASCENDC_EMU_VECTORS(long long, longlong, 16, 16)
ASCENDC_EMU_VECTORS(unsigned long long, ulonglong, 16, 16)
#undef ASCENDC_EMU_VECTORS

struct alignas(4) half2 {
    half x, y;
};
struct alignas(4) bfloat16x2_t {
    bfloat16_t x, y;
};
