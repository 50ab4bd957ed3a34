// The matrix product behind gemm: column-major, packed into the type that computes, blocked.
#pragma once

#include <vector>

#include "handle.h"

namespace cuda_emu {

// op(A) as rows x cols, column after column, in type V.
template <class V, class T>
std::vector<V> packed(cublasOperation_t op, const T *a, std::int64_t ld, std::int64_t rows, std::int64_t cols) {
  std::vector<V> out(static_cast<size_t>(rows * cols));
  for (std::int64_t j = 0; j < cols; ++j)
    for (std::int64_t i = 0; i < rows; ++i) {
      V v = static_cast<V>(computed(transposed(op) ? a[i * ld + j] : a[j * ld + i]));
      out[static_cast<size_t>(j * rows + i)] = conjugated(op) ? conjugate(v) : v;
    }
  return out;
}

// C = alpha op(A) op(B) + beta C. C is not read when beta is zero, as BLAS demands. `finish` sees each
// result with its place before it is stored.
template <class V, class A, class B, class C, class Finish>
void matrix_product(cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m, std::int64_t n,
                    std::int64_t k, V alpha, const A *a, std::int64_t lda, const B *b, std::int64_t ldb,
                    V beta, const C *c, std::int64_t ldc, C *d, std::int64_t ldd, Finish finish) {
  if (m <= 0 || n <= 0) return;
  std::vector<V> left, right, column(static_cast<size_t>(m));
  if (k > 0 && alpha != V(0)) {
    left = packed<V>(op_a, a, lda, m, k);
    right = packed<V>(op_b, b, ldb, k, n);
  } else {
    k = 0;
  }
  for (std::int64_t j = 0; j < n; ++j) {
    std::fill(column.begin(), column.end(), V(0));
    V *out = column.data();
    for (std::int64_t p = 0; p < k; ++p) {
      V factor = right[static_cast<size_t>(j * k + p)];
      const V *in = left.data() + p * m;
      for (std::int64_t i = 0; i < m; ++i) out[i] += factor * in[i];
    }
    for (std::int64_t i = 0; i < m; ++i) {
      V value = alpha * out[i];
      if (beta != V(0)) value += beta * static_cast<V>(computed(c[j * ldc + i]));
      d[j * ldd + i] = stored<C>(finish(value, i, j));
    }
  }
}

struct Unchanged {
  template <class V> V operator()(V v, std::int64_t, std::int64_t) const { return v; }
};

template <class V, class A, class B, class C>
void matrix_product(cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m, std::int64_t n,
                    std::int64_t k, V alpha, const A *a, std::int64_t lda, const B *b, std::int64_t ldb,
                    V beta, C *c, std::int64_t ldc) {
  matrix_product(op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, c, ldc, Unchanged{});
}

inline bool bad_shape(cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m, std::int64_t n,
                      std::int64_t k, std::int64_t lda, std::int64_t ldb, std::int64_t ldc) {
  std::int64_t rows_a = transposed(op_a) ? k : m, rows_b = transposed(op_b) ? n : k;
  auto least = [](std::int64_t v) { return v > 1 ? v : 1; };
  return m < 0 || n < 0 || k < 0 || lda < least(rows_a) || ldb < least(rows_b) || ldc < least(m);
}

}  // namespace cuda_emu
