// cuBLAS level 3 apart from gemm, and the BLAS-like extensions.
#pragma once

#include "gemm.h"
#include "level2.h"

namespace cuda_emu {

// C = alpha op(A) op(A)^T + beta C, one triangle of it (^H for the Hermitian form).
template <class T, class S>
cublasStatus_t blas_syrk(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, int n, int k, const S *alpha,
                         const T *a, int lda, const S *beta, T *c, int ldc, bool hermitian) {
  const ScalarArgument<S> scalar_a(h, alpha), scalar_b(h, beta);
  return blas_run(h, [=] {
    const auto ca = scalar_a(), cb = scalar_b();
    std::vector<Computed<T>> left = packed<Computed<T>>(op, a, lda, n, k);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        if (fill == CUBLAS_FILL_MODE_LOWER ? i < j : i > j) continue;
        Computed<T> sum{};
        for (std::int64_t p = 0; p < k; ++p) {
          Computed<T> other = left[static_cast<size_t>(p * n + j)];
          sum += left[static_cast<size_t>(p * n + i)] * (hermitian ? conjugate(other) : other);
        }
        sum = ca * sum;
        if (cb != decltype(cb)(0)) sum += cb * computed(c[j * ldc + i]);
        c[j * ldc + i] = stored<T>(sum);
      }
  });
}
// op(A) X = alpha B or X op(A) = alpha B, in place of B.
template <class T>
void solve_triangles(cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diag, int m,
                     int n, Computed<T> alpha, const T *a, int lda, T *b, int ldb) {
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < m; ++i) b[j * ldb + i] = stored<T>(alpha * computed(b[j * ldb + i]));
  bool unit = diag == CUBLAS_DIAG_UNIT, lower = lower_after(fill, op);
  if (side == CUBLAS_SIDE_LEFT) {
    for (std::int64_t j = 0; j < n; ++j) solve_triangle(op, lower, unit, m, a, lda, b + j * ldb, 1);
    return;
  }
  // Row by row: op(A)^T x^T = b^T; the transpose keeps the conjugation.
  cublasOperation_t turned = op == CUBLAS_OP_N ? CUBLAS_OP_T : op == CUBLAS_OP_T ? CUBLAS_OP_N : CUBLAS_OP_CONJG;
  for (std::int64_t i = 0; i < m; ++i) solve_triangle(turned, !lower, unit, n, a, lda, b + i, ldb);
}
// C = alpha A B with a triangular A on the given side.
template <class T>
cublasStatus_t blas_trmm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,
                         cublasDiagType_t diag, int m, int n, const T *alpha, const T *a, int lda, const T *b, int ldb,
                         T *c, int ldc) {
  const ScalarArgument<T> scalar_a(h, alpha);
  return blas_run(h, [=] {
    const Computed<T> ca = scalar_a();
    int size = side == CUBLAS_SIDE_LEFT ? m : n;
    bool lower = lower_after(fill, op);
    auto triangle = [&](std::int64_t i, std::int64_t j) -> Computed<T> {
      if (i == j && diag == CUBLAS_DIAG_UNIT) return Computed<T>(1);
      return (lower ? i >= j : i <= j) ? element(op, a, lda, i, j) : Computed<T>(0);
    };
    std::vector<T> out(static_cast<size_t>(m) * static_cast<size_t>(n));
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        Computed<T> sum{};
        for (std::int64_t p = 0; p < size; ++p)
          sum += side == CUBLAS_SIDE_LEFT ? triangle(i, p) * computed(b[j * ldb + p]) : computed(b[p * ldb + i]) * triangle(p, j);
        out[static_cast<size_t>(j * m + i)] = stored<T>(ca * sum);
      }
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) c[j * ldc + i] = out[static_cast<size_t>(j * m + i)];
  });
}
template <class T>
cublasStatus_t blas_symm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, int m, int n, const T *alpha,
                         const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) {
  const ScalarArgument<T> scalar_a(h, alpha), scalar_b(h, beta);
  return blas_run(h, [=] {
    const Computed<T> ca = scalar_a(), cb = scalar_b();
    int size = side == CUBLAS_SIDE_LEFT ? m : n;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        Computed<T> sum{};
        for (std::int64_t p = 0; p < size; ++p)
          sum += side == CUBLAS_SIDE_LEFT ? symmetric(fill, a, lda, i, p) * computed(b[j * ldb + p])
                                          : computed(b[p * ldb + i]) * symmetric(fill, a, lda, p, j);
        sum *= ca;
        if (cb != Computed<T>(0)) sum += cb * computed(c[j * ldc + i]);
        c[j * ldc + i] = stored<T>(sum);
      }
  });
}
template <class T>
cublasStatus_t blas_geam(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, const T *alpha,
                         const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc) {
  const ScalarArgument<T> scalar_a(h, alpha), scalar_b(h, beta);
  return blas_run(h, [=] {
    const Computed<T> ca = scalar_a(), cb = scalar_b();
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        Computed<T> sum{};
        if (ca != Computed<T>(0)) sum += ca * element(ta, a, lda, i, j);
        if (cb != Computed<T>(0)) sum += cb * element(tb, b, ldb, i, j);
        c[j * ldc + i] = stored<T>(sum);
      }
  });
}
// LU with partial pivoting, in place; pivots count from 1. Returns 0, or the first zero pivot.
template <class T>
int factorize(int n, T *a, int lda, int *pivots) {
  int info = 0;
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; pivots && i < n; ++i)
      if (magnitude(computed(a[k * lda + i])) > magnitude(computed(a[k * lda + best]))) best = i;
    if (pivots) pivots[k] = best + 1;
    for (int j = 0; best != k && j < n; ++j) std::swap(a[j * lda + k], a[j * lda + best]);
    Computed<T> pivot = computed(a[k * lda + k]);
    if (pivot == Computed<T>(0)) {
      if (!info) info = k + 1;
      continue;
    }
    for (int i = k + 1; i < n; ++i) {
      Computed<T> factor = computed(a[k * lda + i]) / pivot;
      a[k * lda + i] = stored<T>(factor);
      for (int j = k + 1; j < n; ++j)
        a[j * lda + i] = stored<T>(computed(a[j * lda + i]) - factor * computed(a[j * lda + k]));
    }
  }
  return info;
}
template <class T>
void invert_factors(int n, const T *a, int lda, const int *pivots, T *out, int ldo) {
  for (int j = 0; j < n; ++j) {
    T *x = out + static_cast<std::int64_t>(j) * ldo;
    for (int i = 0; i < n; ++i) x[i] = stored<T>(Computed<T>(i == j ? 1 : 0));
    for (int i = 0; pivots && i < n; ++i) std::swap(x[i], x[pivots[i] - 1]);
    solve_triangle(CUBLAS_OP_N, true, true, n, a, lda, x, 1);
    solve_triangle(CUBLAS_OP_N, false, false, n, a, lda, x, 1);
  }
}

}  // namespace cuda_emu

#define CUDA_EMU_LEVEL3(L, T)                                                                       \
  inline cublasStatus_t cublas##L##syrk(cublasHandle_t h, cublasFillMode_t f, cublasOperation_t op, int n, int k,      \
                                        const T *alpha, const T *a, int lda, const T *beta, T *c, int ldc) {           \
    return cuda_emu::blas_syrk(h, f, op, n, k, alpha, a, lda, beta, c, ldc, false);                 \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##trsm(cublasHandle_t h, cublasSideMode_t s, cublasFillMode_t f, cublasOperation_t op, \
      cublasDiagType_t d, int m, int n, const T *alpha, const T *a, int lda, T *b, int ldb) {       \
    const cuda_emu::ScalarArgument<T> scalar_a(h, alpha);                                           \
    return cuda_emu::blas_run(h, [=] { cuda_emu::solve_triangles(s, f, op, d, m, n, scalar_a(), a, lda, b, ldb); }); \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##trsmBatched(cublasHandle_t h, cublasSideMode_t s, cublasFillMode_t f,               \
      cublasOperation_t op, cublasDiagType_t d, int m, int n, const T *alpha, const T *const a[], int lda, T *const b[], \
      int ldb, int count) {                                                                         \
    const cuda_emu::ScalarArgument<T> scalar_a(h, alpha);                                           \
    return cuda_emu::blas_run(h, [=] {                                                              \
      for (int i = 0; i < count; ++i) cuda_emu::solve_triangles(s, f, op, d, m, n, scalar_a(), a[i], lda, b[i], ldb); \
    });                                                                                             \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##trmm(cublasHandle_t h, cublasSideMode_t s, cublasFillMode_t f, cublasOperation_t op, \
      cublasDiagType_t d, int m, int n, const T *alpha, const T *a, int lda, const T *b, int ldb, T *c, int ldc) {     \
    return cuda_emu::blas_trmm(h, s, f, op, d, m, n, alpha, a, lda, b, ldb, c, ldc);                \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##symm(cublasHandle_t h, cublasSideMode_t s, cublasFillMode_t f, int m, int n,        \
      const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) {     \
    return cuda_emu::blas_symm(h, s, f, m, n, alpha, a, lda, b, ldb, beta, c, ldc);                 \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##geam(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,    \
      const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc) {     \
    return cuda_emu::blas_geam(h, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);               \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##dgmm(cublasHandle_t h, cublasSideMode_t s, int m, int n, const T *a, int lda,       \
                                        const T *x, int step, T *c, int ldc) {                      \
    return cuda_emu::blas_run(h, [=] {                                                              \
      for (std::int64_t j = 0; j < n; ++j)                                                          \
        for (std::int64_t i = 0; i < m; ++i)                                                        \
          c[j * ldc + i] = cuda_emu::stored<T>(cuda_emu::computed(a[j * lda + i]) *                 \
                                               cuda_emu::computed(x[(s == CUBLAS_SIDE_LEFT ? i : j) * step]));         \
    });                                                                                             \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##getrfBatched(cublasHandle_t h, int n, T *const a[], int lda, int *pivots, int *info, \
                                                int count) {                                        \
    return cuda_emu::blas_run(h, [=] {                                                              \
      for (int i = 0; i < count; ++i) info[i] = cuda_emu::factorize(n, a[i], lda, pivots ? pivots + i * n : nullptr);  \
    });                                                                                             \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##getriBatched(cublasHandle_t h, int n, const T *const a[], int lda, const int *pivots, \
                                                T *const c[], int ldc, int *info, int count) {      \
    return cuda_emu::blas_run(h, [=] {                                                              \
      for (int i = 0; i < count; ++i) {                                                             \
        cuda_emu::invert_factors(n, a[i], lda, pivots ? pivots + i * n : nullptr, c[i], ldc);       \
        info[i] = 0;                                                                                \
      }                                                                                             \
    });                                                                                             \
  }
CUDA_EMU_LEVEL3(S, float)
CUDA_EMU_LEVEL3(D, double)
CUDA_EMU_LEVEL3(C, float2)
CUDA_EMU_LEVEL3(Z, double2)
#undef CUDA_EMU_LEVEL3
inline cublasStatus_t cublasCherk(cublasHandle_t h, cublasFillMode_t f, cublasOperation_t op, int n, int k, const float *alpha,
                                  const float2 *a, int lda, const float *beta, float2 *c, int ldc) {
  return cuda_emu::blas_syrk(h, f, op, n, k, alpha, a, lda, beta, c, ldc, true);
}
inline cublasStatus_t cublasZherk(cublasHandle_t h, cublasFillMode_t f, cublasOperation_t op, int n, int k, const double *alpha,
                                  const double2 *a, int lda, const double *beta, double2 *c, int ldc) {
  return cuda_emu::blas_syrk(h, f, op, n, k, alpha, a, lda, beta, c, ldc, true);
}
