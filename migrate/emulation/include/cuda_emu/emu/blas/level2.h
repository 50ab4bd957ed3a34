// cuBLAS level 2: a matrix and vectors. Matrices are column-major.
#pragma once

#include "level1.h"

namespace cuda_emu {

template <class T>
Computed<T> element(cublasOperation_t op, const T *a, int ld, std::int64_t i, std::int64_t j) {
  Computed<T> v = computed(transposed(op) ? a[i * ld + j] : a[j * ld + i]);
  return conjugated(op) ? conjugate(v) : v;
}
template <class T>
cublasStatus_t blas_gemv(cublasHandle_t h, cublasOperation_t op, int m, int n, const T *alpha, const T *a, int lda,
                         const T *x, int sx, const T *beta, T *y, int sy) {
  if (m < 0 || n < 0 || lda < (m > 1 ? m : 1) || !sx || !sy) return CUBLAS_STATUS_INVALID_VALUE;
  const ScalarArgument<T> scalar_a(h, alpha), scalar_b(h, beta);
  return blas_run(h, [=] {
    const Computed<T> ca = scalar_a(), cb = scalar_b();
    int rows = transposed(op) ? n : m, cols = transposed(op) ? m : n;
    const T *in = vector_start(x, cols, sx);
    T *out = vector_start(y, rows, sy);
    for (std::int64_t i = 0; i < rows; ++i) {
      Computed<T> sum{};
      for (std::int64_t j = 0; j < cols; ++j) sum += element(op, a, lda, i, j) * computed(in[j * sx]);
      sum *= ca;
      if (cb != Computed<T>(0)) sum += cb * computed(out[i * sy]);
      out[i * sy] = stored<T>(sum);
    }
  });
}
template <class T>
cublasStatus_t blas_ger(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int sx, const T *y, int sy, T *a,
                        int lda, bool conj) {
  const ScalarArgument<T> scalar_a(h, alpha);
  return blas_run(h, [=] {
    const Computed<T> factor = scalar_a();
    const T *u = vector_start(x, m, sx), *v = vector_start(y, n, sy);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        Computed<T> b = computed(v[j * sy]);
        T &to = a[j * lda + i];
        to = stored<T>(computed(to) + factor * computed(u[i * sx]) * (conj ? conjugate(b) : b));
      }
  });
}
// An element of a matrix of which one triangle is stored.
template <class T>
Computed<T> symmetric(cublasFillMode_t fill, const T *a, int lda, std::int64_t i, std::int64_t j) {
  bool stored_here = fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
  return computed(stored_here ? a[j * lda + i] : a[i * lda + j]);
}
template <class T>
cublasStatus_t blas_symv(cublasHandle_t h, cublasFillMode_t fill, int n, const T *alpha, const T *a, int lda,
                         const T *x, int sx, const T *beta, T *y, int sy) {
  const ScalarArgument<T> scalar_a(h, alpha), scalar_b(h, beta);
  return blas_run(h, [=] {
    const Computed<T> ca = scalar_a(), cb = scalar_b();
    const T *in = vector_start(x, n, sx);
    T *out = vector_start(y, n, sy);
    for (std::int64_t i = 0; i < n; ++i) {
      Computed<T> sum{};
      for (std::int64_t j = 0; j < n; ++j) sum += symmetric(fill, a, lda, i, j) * computed(in[j * sx]);
      sum *= ca;
      if (cb != Computed<T>(0)) sum += cb * computed(out[i * sy]);
      out[i * sy] = stored<T>(sum);
    }
  });
}

// Solves op(A) x = b in place for a triangular A; `lower` is the shape of op(A).
template <class T>
void solve_triangle(cublasOperation_t op, bool lower, bool unit, std::int64_t n, const T *a, int lda, T *x, std::int64_t step) {
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t i = lower ? k : n - 1 - k;
    Computed<T> sum = computed(x[i * step]);
    for (std::int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); ++j)
      sum -= element(op, a, lda, i, j) * computed(x[j * step]);
    x[i * step] = stored<T>(unit ? sum : sum / element(op, a, lda, i, i));
  }
}
inline bool lower_after(cublasFillMode_t fill, cublasOperation_t op) {
  return (fill == CUBLAS_FILL_MODE_LOWER) != transposed(op);
}

}  // namespace cuda_emu

#define CUDA_EMU_LEVEL2(L, T)                                                                       \
  inline cublasStatus_t cublas##L##gemv(cublasHandle_t h, cublasOperation_t op, int m, int n, const T *alpha,          \
                                        const T *a, int lda, const T *x, int sx, const T *beta, T *y, int sy) {        \
    return cuda_emu::blas_gemv(h, op, m, n, alpha, a, lda, x, sx, beta, y, sy);                     \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##symv(cublasHandle_t h, cublasFillMode_t fill, int n, const T *alpha, const T *a,    \
                                        int lda, const T *x, int sx, const T *beta, T *y, int sy) {                    \
    return cuda_emu::blas_symv(h, fill, n, alpha, a, lda, x, sx, beta, y, sy);                      \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##trsv(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op,                 \
                                        cublasDiagType_t diag, int n, const T *a, int lda, T *x, int step) {           \
    return cuda_emu::blas_run(h, [=] {                                                              \
      cuda_emu::solve_triangle(op, cuda_emu::lower_after(fill, op), diag == CUBLAS_DIAG_UNIT, n, a, lda,               \
                               cuda_emu::vector_start(x, n, step), step);                           \
    });                                                                                             \
  }
CUDA_EMU_LEVEL2(S, float)
CUDA_EMU_LEVEL2(D, double)
CUDA_EMU_LEVEL2(C, float2)
CUDA_EMU_LEVEL2(Z, double2)
#undef CUDA_EMU_LEVEL2
#define CUDA_EMU_GER(name, T, conj)                                                                 \
  inline cublasStatus_t cublas##name(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int sx, const T *y,   \
                                     int sy, T *a, int lda) {                                       \
    return cuda_emu::blas_ger(h, m, n, alpha, x, sx, y, sy, a, lda, conj);                          \
  }
CUDA_EMU_GER(Sger, float, false)
CUDA_EMU_GER(Dger, double, false)
CUDA_EMU_GER(Cgeru, float2, false)
CUDA_EMU_GER(Zgeru, double2, false)
CUDA_EMU_GER(Cgerc, float2, true)
CUDA_EMU_GER(Zgerc, double2, true)
#undef CUDA_EMU_GER
