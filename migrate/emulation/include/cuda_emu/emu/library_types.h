// Data types that the libraries share (library_types.h of CUDA), and complex numbers for arithmetic.
#pragma once

#include <complex>

#include "bfloat16.h"
#include "half.h"
#include "vector_types.h"

typedef enum cudaDataType_t {
  CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_8I = 3, CUDA_C_32F = 4, CUDA_C_64F = 5,
  CUDA_C_16F = 6, CUDA_C_8I = 7, CUDA_R_8U = 8, CUDA_C_8U = 9, CUDA_R_32I = 10, CUDA_C_32I = 11,
  CUDA_R_32U = 12, CUDA_C_32U = 13, CUDA_R_16BF = 14, CUDA_C_16BF = 15, CUDA_R_4I = 16, CUDA_R_4U = 18,
  CUDA_R_16I = 20, CUDA_R_16U = 22, CUDA_R_64I = 24, CUDA_R_64U = 26, CUDA_R_8F_E4M3 = 28,
  CUDA_R_8F_E5M2 = 29
} cudaDataType;
typedef enum libraryPropertyType_t { MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL } libraryPropertyType;

namespace cuda_emu {

// The type in which a library computes with values of type T.
template <class T> struct Arithmetic { typedef T type; };
template <> struct Arithmetic<__half> { typedef float type; };
template <> struct Arithmetic<__nv_bfloat16> { typedef float type; };
template <> struct Arithmetic<signed char> { typedef int type; };
template <> struct Arithmetic<float2> { typedef std::complex<float> type; };
template <> struct Arithmetic<double2> { typedef std::complex<double> type; };
template <class T> using Computed = typename Arithmetic<T>::type;

template <class T> Computed<T> computed(const T &v) {
  if constexpr (std::is_same_v<T, float2> || std::is_same_v<T, double2>) return {v.x, v.y};
  else return static_cast<Computed<T>>(v);
}
template <class T, class V> T stored(const V &v) {
  if constexpr (std::is_same_v<T, float2>) return float2{static_cast<float>(v.real()), static_cast<float>(v.imag())};
  else if constexpr (std::is_same_v<T, double2>) return double2{v.real(), v.imag()};
  else return static_cast<T>(v);
}
template <class V> V conjugate(const V &v) {
  if constexpr (std::is_arithmetic_v<V>) return v;
  else return std::conj(v);
}
template <class V> auto magnitude(const V &v) { return std::abs(v); }

// Calls `use(T{})` for the type that a code names; false for one without arithmetic here.
template <class Use>
bool with_type(cudaDataType type, Use use) {
  switch (type) {
    case CUDA_R_32F: use(float{}); return true;
    case CUDA_R_64F: use(double{}); return true;
    case CUDA_R_16F: use(__half(0.0f)); return true;
    case CUDA_R_16BF: use(__nv_bfloat16(0.0f)); return true;
    case CUDA_C_32F: use(float2{}); return true;
    case CUDA_C_64F: use(double2{}); return true;
    case CUDA_R_8I: use(static_cast<signed char>(0)); return true;
    case CUDA_R_32I: use(int{}); return true;
    default: return false;
  }
}

}  // namespace cuda_emu
