// The 16-bit types of PyTorch, as the CUDA types of the same bits, and what kernels ask of scalars.
//
// PyTorch lets its 16-bit types mix with others in one operation: with float and double the result
// is float or double, with an integer it stays 16 bits wide. Facts: c10/util/Half-inl.h documents
// these operators as "arithmetic with floats, doubles, ints and int64_t".
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#define CM_TORCH __host__ __device__ inline

namespace c10 {
using Half = ::__half;
using BFloat16 = ::__nv_bfloat16;
template <class T> using complex = ::std::complex<T>;
struct qint8 { std::int8_t val_; };
struct quint8 { std::uint8_t val_; };
struct qint32 { std::int32_t val_; };
}  // namespace c10

// PyTorch's types become float and nothing else, so that these calls are not ambiguous for them.
#define CM_TORCH_CLASSIFY(HALF)                                                        \
  CM_TORCH bool isfinite(HALF a) { return ::std::isfinite(static_cast<float>(a)); }    \
  CM_TORCH bool isnan(HALF a) { return ::std::isnan(static_cast<float>(a)); }          \
  CM_TORCH bool isinf(HALF a) { return ::std::isinf(static_cast<float>(a)); }
CM_TORCH_CLASSIFY(__half)
CM_TORCH_CLASSIFY(__nv_bfloat16)

#define CM_TORCH_MIXED(HALF, OP)                                                               \
  CM_TORCH float operator OP(HALF a, float b) { return static_cast<float>(a) OP b; }           \
  CM_TORCH float operator OP(float a, HALF b) { return a OP static_cast<float>(b); }           \
  CM_TORCH double operator OP(HALF a, double b) { return static_cast<float>(a) OP b; }         \
  CM_TORCH double operator OP(double a, HALF b) { return a OP static_cast<float>(b); }         \
  template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>                    \
  CM_TORCH HALF operator OP(HALF a, T b) {                                                     \
    return HALF(static_cast<float>(a) OP static_cast<float>(HALF(static_cast<float>(b))));     \
  }                                                                                            \
  template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>                    \
  CM_TORCH HALF operator OP(T a, HALF b) {                                                     \
    return HALF(static_cast<float>(HALF(static_cast<float>(a))) OP static_cast<float>(b));     \
  }
#define CM_TORCH_COMPARED(HALF, OP)                                                            \
  template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>                  \
  CM_TORCH bool operator OP(HALF a, T b) { return static_cast<float>(a) OP b; }                \
  template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>                  \
  CM_TORCH bool operator OP(T a, HALF b) { return a OP static_cast<float>(b); }
#define CM_TORCH_ASSIGNED(HALF, OP)                                                            \
  CM_TORCH float& operator OP##=(float& a, HALF b) { return a = a OP static_cast<float>(b); }  \
  template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>                  \
  CM_TORCH HALF& operator OP##=(HALF& a, T b) {                                                \
    return a = HALF(static_cast<float>(a) OP static_cast<float>(b));                           \
  }
#define CM_TORCH_ALL(HALF)                                                                     \
  CM_TORCH_MIXED(HALF, +) CM_TORCH_MIXED(HALF, -) CM_TORCH_MIXED(HALF, *)                      \
  CM_TORCH_MIXED(HALF, /) CM_TORCH_COMPARED(HALF, ==) CM_TORCH_COMPARED(HALF, !=)              \
  CM_TORCH_COMPARED(HALF, <) CM_TORCH_COMPARED(HALF, <=) CM_TORCH_COMPARED(HALF, >)            \
  CM_TORCH_COMPARED(HALF, >=) CM_TORCH_ASSIGNED(HALF, +) CM_TORCH_ASSIGNED(HALF, -)            \
  CM_TORCH_ASSIGNED(HALF, *) CM_TORCH_ASSIGNED(HALF, /)
// Math functions without namespace take a 16-bit number as the float that it converts to.
#define CM_TORCH_AS_FLOAT(HALF, NAME) \
  CM_TORCH float NAME(HALF a) { return ::NAME##f(static_cast<float>(a)); }
#define CM_TORCH_AS_FLOATS(HALF, NAME, CALL)                                                    \
  CM_TORCH float NAME(HALF a, HALF b) { return CALL(static_cast<float>(a), static_cast<float>(b)); } \
  CM_TORCH float NAME(HALF a, float b) { return CALL(static_cast<float>(a), b); }              \
  CM_TORCH float NAME(float a, HALF b) { return CALL(a, static_cast<float>(b)); }              \
  CM_TORCH float NAME(HALF a, int b) { return CALL(static_cast<float>(a), static_cast<float>(b)); } \
  CM_TORCH float NAME(int a, HALF b) { return CALL(static_cast<float>(a), static_cast<float>(b)); }
#define CM_TORCH_MATH(HALF)                                                                    \
  CM_TORCH_AS_FLOAT(HALF, exp) CM_TORCH_AS_FLOAT(HALF, log) CM_TORCH_AS_FLOAT(HALF, sqrt)      \
  CM_TORCH_AS_FLOAT(HALF, sin) CM_TORCH_AS_FLOAT(HALF, cos) CM_TORCH_AS_FLOAT(HALF, tan)       \
  CM_TORCH_AS_FLOAT(HALF, tanh) CM_TORCH_AS_FLOAT(HALF, floor) CM_TORCH_AS_FLOAT(HALF, ceil)   \
  CM_TORCH_AS_FLOAT(HALF, round) CM_TORCH_AS_FLOAT(HALF, fabs) CM_TORCH_AS_FLOAT(HALF, erf)    \
  CM_TORCH_AS_FLOAT(HALF, rsqrt) CM_TORCH_AS_FLOAT(HALF, exp2) CM_TORCH_AS_FLOAT(HALF, log2)   \
  CM_TORCH float abs(HALF a) { return ::fabsf(static_cast<float>(a)); }                        \
  CM_TORCH_AS_FLOATS(HALF, pow, ::powf) CM_TORCH_AS_FLOATS(HALF, max, ::fmaxf)                 \
  CM_TORCH_AS_FLOATS(HALF, min, ::fminf) CM_TORCH_AS_FLOATS(HALF, fmax, ::fmaxf)               \
  CM_TORCH_AS_FLOATS(HALF, fmin, ::fminf) CM_TORCH_AS_FLOATS(HALF, atan2, ::atan2f)            \
  CM_TORCH_AS_FLOATS(HALF, fmod, ::fmodf)
CM_TORCH_ALL(::__half)
CM_TORCH_ALL(::__nv_bfloat16)
CM_TORCH_MATH(::__half)
CM_TORCH_MATH(::__nv_bfloat16)

namespace std {
#define CM_TORCH_FUNCTION(HALF, NAME)                                                          \
  CM_TORCH HALF NAME(HALF a) { return HALF(::NAME##f(static_cast<float>(a))); }
#define CM_TORCH_FUNCTIONS(HALF)                                                               \
  CM_TORCH_FUNCTION(HALF, exp) CM_TORCH_FUNCTION(HALF, log) CM_TORCH_FUNCTION(HALF, sqrt)      \
  CM_TORCH_FUNCTION(HALF, tanh) CM_TORCH_FUNCTION(HALF, sin) CM_TORCH_FUNCTION(HALF, cos)      \
  CM_TORCH_FUNCTION(HALF, floor) CM_TORCH_FUNCTION(HALF, ceil) CM_TORCH_FUNCTION(HALF, erf)    \
  CM_TORCH_FUNCTION(HALF, rsqrt)                                                               \
  CM_TORCH HALF abs(HALF a) { return HALF(::fabsf(static_cast<float>(a))); }                   \
  CM_TORCH HALF pow(HALF a, HALF b) {                                                          \
    return HALF(::powf(static_cast<float>(a), static_cast<float>(b)));                         \
  }
CM_TORCH_FUNCTIONS(::__half)
CM_TORCH_FUNCTIONS(::__nv_bfloat16)
template <> struct numeric_limits<::__half> {
  static constexpr bool is_specialized = true;
  static constexpr bool is_integer = false;
  CM_TORCH static ::__half max() { return ::__ushort_as_half(0x7bff); }
  CM_TORCH static ::__half lowest() { return ::__ushort_as_half(0xfbff); }
  CM_TORCH static ::__half min() { return ::__ushort_as_half(0x0400); }
  CM_TORCH static ::__half infinity() { return ::__ushort_as_half(0x7c00); }
  CM_TORCH static ::__half epsilon() { return ::__ushort_as_half(0x1400); }
};
template <> struct numeric_limits<::__nv_bfloat16> {
  static constexpr bool is_specialized = true;
  static constexpr bool is_integer = false;
  CM_TORCH static ::__nv_bfloat16 max() { return ::__ushort_as_bfloat16(0x7f7f); }
  CM_TORCH static ::__nv_bfloat16 lowest() { return ::__ushort_as_bfloat16(0xff7f); }
  CM_TORCH static ::__nv_bfloat16 min() { return ::__ushort_as_bfloat16(0x0080); }
  CM_TORCH static ::__nv_bfloat16 infinity() { return ::__ushort_as_bfloat16(0x7f80); }
  CM_TORCH static ::__nv_bfloat16 epsilon() { return ::__ushort_as_bfloat16(0x3c00); }
};
}  // namespace std

namespace at {
using c10::BFloat16;
using c10::Half;
// The type in which sums are kept: float for the 16-bit types and float, double for double.
template <class T, bool is_cuda> struct AccumulateType { using type = T; };
template <bool C> struct AccumulateType<Half, C> { using type = float; };
template <bool C> struct AccumulateType<BFloat16, C> { using type = float; };
template <bool C> struct AccumulateType<bool, C> { using type = bool; };
template <bool C> struct AccumulateType<std::int8_t, C> { using type = std::int64_t; };
template <bool C> struct AccumulateType<std::uint8_t, C> { using type = std::int64_t; };
template <bool C> struct AccumulateType<std::int16_t, C> { using type = std::int64_t; };
template <bool C> struct AccumulateType<std::int32_t, C> { using type = std::int64_t; };
template <class T, bool is_cuda> using acc_type = typename AccumulateType<T, is_cuda>::type;
template <class T> struct OpMathType { using type = T; };
template <> struct OpMathType<Half> { using type = float; };
template <> struct OpMathType<BFloat16> { using type = float; };
template <class T> using opmath_type = typename OpMathType<T>::type;
}  // namespace at
