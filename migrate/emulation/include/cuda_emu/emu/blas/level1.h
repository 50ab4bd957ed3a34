// cuBLAS level 1: vectors.
#pragma once

#include "handle.h"

namespace cuda_emu {

// The start of a strided vector: a negative stride begins at its far end.
template <class T> T *vector_start(T *x, int n, int step) {
  return step < 0 ? x - static_cast<std::int64_t>(n - 1) * step : x;
}

template <class T, class Use> void each(int n, T *x, int step, Use use) {
  x = vector_start(x, n, step);
  for (std::int64_t i = 0; i < n; ++i) use(x[i * step]);
}
template <class X, class Y, class Use> void each(int n, X *x, int step_x, Y *y, int step_y, Use use) {
  x = vector_start(x, n, step_x);
  y = vector_start(y, n, step_y);
  for (std::int64_t i = 0; i < n; ++i) use(x[i * step_x], y[i * step_y]);
}

template <class T>
cublasStatus_t blas_dot(cublasHandle_t h, int n, const T *x, int sx, const T *y, int sy, T *result, bool conj) {
  return blas_run(h, [=] {
    Computed<T> sum{};
    each(n, x, sx, y, sy, [&](const T &a, const T &b) {
      sum += (conj ? conjugate(computed(a)) : computed(a)) * computed(b);
    });
    *result = stored<T>(sum);
  });
}
// Scaled against overflow by computing in double (long double for double).
template <class T, class R>
cublasStatus_t blas_nrm2(cublasHandle_t h, int n, const T *x, int step, R *result) {
  return blas_run(h, [=] {
    typedef std::conditional_t<std::is_same_v<R, float>, double, long double> Wide;
    Wide sum = 0;
    each(n, x, step, [&](const T &v) { Wide a = magnitude(computed(v)); sum += a * a; });
    *result = static_cast<R>(std::sqrt(sum));
  });
}
template <class V> auto one_norm(const V &v) {
  if constexpr (std::is_arithmetic_v<V>) return std::fabs(v);
  else return std::fabs(v.real()) + std::fabs(v.imag());
}
template <class T, class R>
cublasStatus_t blas_asum(cublasHandle_t h, int n, const T *x, int step, R *result) {
  return blas_run(h, [=] {
    R sum = 0;
    each(n, x, step, [&](const T &v) { sum += one_norm(computed(v)); });
    *result = sum;
  });
}
// Positions count from 1; the first of several equal ones wins.
template <class T>
cublasStatus_t blas_extreme(cublasHandle_t h, int n, const T *x, int step, int *result, bool largest) {
  return blas_run(h, [=] {
    int best = 0;
    for (int i = 1; i < n && step > 0; ++i) {
      auto a = one_norm(computed(x[static_cast<std::int64_t>(i) * step]));
      auto b = one_norm(computed(x[static_cast<std::int64_t>(best) * step]));
      if (largest ? a > b : a < b) best = i;
    }
    *result = n > 0 && step > 0 ? best + 1 : 0;
  });
}

}  // namespace cuda_emu

#define CUDA_EMU_LEVEL1(L, T)                                                                       \
  inline cublasStatus_t cublas##L##axpy(cublasHandle_t h, int n, const T *alpha, const T *x, int sx, T *y, int sy) { \
    const cuda_emu::ScalarArgument<T> scalar(h, alpha);                                             \
    return cuda_emu::blas_run(h, [=] {                                                              \
      const auto a = scalar();                                                                      \
      cuda_emu::each(n, x, sx, y, sy, [&](const T &u, T &v) {                                       \
        v = cuda_emu::stored<T>(a * cuda_emu::computed(u) + cuda_emu::computed(v)); \
      });                                                                                           \
    });                                                                                             \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##scal(cublasHandle_t h, int n, const T *alpha, T *x, int sx) {    \
    const cuda_emu::ScalarArgument<T> scalar(h, alpha);                                             \
    return cuda_emu::blas_run(h, [=] {                                                              \
      const auto a = scalar();                                                                      \
      cuda_emu::each(n, x, sx, [&](T &v) { v = cuda_emu::stored<T>(a * cuda_emu::computed(v)); }); \
    });                                                                                             \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##copy(cublasHandle_t h, int n, const T *x, int sx, T *y, int sy) { \
    return cuda_emu::blas_run(h, [=] { cuda_emu::each(n, x, sx, y, sy, [](const T &u, T &v) { v = u; }); }); \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##swap(cublasHandle_t h, int n, T *x, int sx, T *y, int sy) {      \
    return cuda_emu::blas_run(h, [=] { cuda_emu::each(n, x, sx, y, sy, [](T &u, T &v) { std::swap(u, v); }); }); \
  }                                                                                                 \
  inline cublasStatus_t cublasI##L##_max(cublasHandle_t h, int n, const T *x, int s, int *r) {      \
    return cuda_emu::blas_extreme(h, n, x, s, r, true);                                             \
  }                                                                                                 \
  inline cublasStatus_t cublasI##L##_min(cublasHandle_t h, int n, const T *x, int s, int *r) {      \
    return cuda_emu::blas_extreme(h, n, x, s, r, false);                                            \
  }
CUDA_EMU_LEVEL1(S, float)
CUDA_EMU_LEVEL1(D, double)
CUDA_EMU_LEVEL1(C, float2)
CUDA_EMU_LEVEL1(Z, double2)
#undef CUDA_EMU_LEVEL1
#define CUDA_EMU_EXTREMES(l, L, T)                                                                  \
  inline cublasStatus_t cublasI##l##amax(cublasHandle_t h, int n, const T *x, int s, int *r) {      \
    return cublasI##L##_max(h, n, x, s, r);                                                         \
  }                                                                                                 \
  inline cublasStatus_t cublasI##l##amin(cublasHandle_t h, int n, const T *x, int s, int *r) {      \
    return cublasI##L##_min(h, n, x, s, r);                                                         \
  }
CUDA_EMU_EXTREMES(s, S, float)
CUDA_EMU_EXTREMES(d, D, double)
CUDA_EMU_EXTREMES(c, C, float2)
CUDA_EMU_EXTREMES(z, Z, double2)
#undef CUDA_EMU_EXTREMES
#define CUDA_EMU_DOT(name, T, conj)                                                                 \
  inline cublasStatus_t cublas##name(cublasHandle_t h, int n, const T *x, int sx, const T *y, int sy, T *r) { \
    return cuda_emu::blas_dot(h, n, x, sx, y, sy, r, conj);                                         \
  }
CUDA_EMU_DOT(Sdot, float, false)
CUDA_EMU_DOT(Ddot, double, false)
CUDA_EMU_DOT(Cdotu, float2, false)
CUDA_EMU_DOT(Zdotu, double2, false)
CUDA_EMU_DOT(Cdotc, float2, true)
CUDA_EMU_DOT(Zdotc, double2, true)
#undef CUDA_EMU_DOT
#define CUDA_EMU_NORMS(norm, sum, T, R)                                                             \
  inline cublasStatus_t cublas##norm(cublasHandle_t h, int n, const T *x, int s, R *r) { return cuda_emu::blas_nrm2(h, n, x, s, r); } \
  inline cublasStatus_t cublas##sum(cublasHandle_t h, int n, const T *x, int s, R *r) { return cuda_emu::blas_asum(h, n, x, s, r); }
CUDA_EMU_NORMS(Snrm2, Sasum, float, float)
CUDA_EMU_NORMS(Dnrm2, Dasum, double, double)
CUDA_EMU_NORMS(Scnrm2, Scasum, float2, float)
CUDA_EMU_NORMS(Dznrm2, Dzasum, double2, double)
#undef CUDA_EMU_NORMS
#define CUDA_EMU_ROT(L, T)                                                                          \
  inline cublasStatus_t cublas##L##rot(cublasHandle_t h, int n, T *x, int sx, T *y, int sy, const T *c, const T *s) { \
    const cuda_emu::ScalarArgument<T> scalar_c(h, c), scalar_s(h, s);                               \
    return cuda_emu::blas_run(h, [=] {                                                              \
      const T cosine = scalar_c(), sine = scalar_s();                                               \
      cuda_emu::each(n, x, sx, y, sy, [&](T &u, T &v) {                                             \
        T a = cosine * u + sine * v;                                                                \
        v = cosine * v - sine * u;                                                                  \
        u = a;                                                                                      \
      });                                                                                           \
    });                                                                                             \
  }
CUDA_EMU_ROT(S, float)
CUDA_EMU_ROT(D, double)
#undef CUDA_EMU_ROT

// Mixed types: cublasDotEx, cublasAxpyEx, cublasScalEx, cublasNrm2Ex.
inline cublasStatus_t cublasDotEx(cublasHandle_t h, int n, const void *x, cudaDataType tx, int sx, const void *y,
                                  cudaDataType ty, int sy, void *r, cudaDataType tr, cudaDataType) {
  if (tx != ty || tx != tr) return CUBLAS_STATUS_NOT_SUPPORTED;
  cublasStatus_t status = CUBLAS_STATUS_NOT_SUPPORTED;
  cuda_emu::with_type(tx, [&](auto zero) {
    typedef decltype(zero) T;
    status = cuda_emu::blas_dot(h, n, static_cast<const T *>(x), sx, static_cast<const T *>(y), sy, static_cast<T *>(r), false);
  });
  return status;
}
