// cuFFT's load and store callbacks: functions of the program between memory and a transform.
#pragma once

#include <cstddef>

#include "../../cuComplex.h"

typedef enum cufftXtCallbackType_t {
  CUFFT_CB_LD_COMPLEX = 0, CUFFT_CB_LD_COMPLEX_DOUBLE = 1, CUFFT_CB_LD_REAL = 2, CUFFT_CB_LD_REAL_DOUBLE = 3,
  CUFFT_CB_ST_COMPLEX = 4, CUFFT_CB_ST_COMPLEX_DOUBLE = 5, CUFFT_CB_ST_REAL = 6, CUFFT_CB_ST_REAL_DOUBLE = 7,
  CUFFT_CB_UNDEFINED = 8
} cufftXtCallbackType;

typedef cuComplex (*cufftCallbackLoadC)(void *in, size_t offset, void *info, void *shared);
typedef cuDoubleComplex (*cufftCallbackLoadZ)(void *in, size_t offset, void *info, void *shared);
typedef float (*cufftCallbackLoadR)(void *in, size_t offset, void *info, void *shared);
typedef double (*cufftCallbackLoadD)(void *in, size_t offset, void *info, void *shared);
typedef void (*cufftCallbackStoreC)(void *out, size_t offset, cuComplex value, void *info, void *shared);
typedef void (*cufftCallbackStoreZ)(void *out, size_t offset, cuDoubleComplex value, void *info, void *shared);
typedef void (*cufftCallbackStoreR)(void *out, size_t offset, float value, void *info, void *shared);
typedef void (*cufftCallbackStoreD)(void *out, size_t offset, double value, void *info, void *shared);

namespace cuda_emu {

// One side of a transform: plain memory when there is no function.
struct FftCallback {
  void *function = nullptr, *info = nullptr;
};

template <class T>
T load_element(const FftCallback &c, const T *in, std::size_t offset) {
  typedef T (*Load)(void *, std::size_t, void *, void *);
  if (!c.function) return in[offset];
  return reinterpret_cast<Load>(c.function)(const_cast<T *>(in), offset, c.info, nullptr);
}
template <class T>
void store_element(const FftCallback &c, T *out, std::size_t offset, const T &value) {
  typedef void (*Store)(void *, std::size_t, T, void *, void *);
  if (!c.function) out[offset] = value;
  else reinterpret_cast<Store>(c.function)(out, offset, value, c.info, nullptr);
}

}  // namespace cuda_emu
