// cuBLAS gemm in all its forms: one product, many at a stride, many by pointers, mixed types.
#pragma once

#include "matrix_product.h"

namespace cuda_emu {

template <class T>
cublasStatus_t blas_gemm(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                         const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc,
                         std::int64_t step_a = 0, std::int64_t step_b = 0, std::int64_t step_c = 0, int count = 1) {
  if (bad_shape(op_a, op_b, m, n, k, lda, ldb, ldc)) return CUBLAS_STATUS_INVALID_VALUE;
  const ScalarArgument<T> scalar_a(h, alpha), scalar_b(h, beta);
  return blas_run(h, [=] {
    const Computed<T> ca = scalar_a(), cb = scalar_b();
    for (int i = 0; i < count; ++i)
      matrix_product(op_a, op_b, m, n, k, ca, a + i * step_a, lda, b + i * step_b, ldb, cb, c + i * step_c, ldc);
  });
}
template <class T>
cublasStatus_t blas_gemm_pointers(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                                  const T *alpha, const T *const a[], int lda, const T *const b[], int ldb,
                                  const T *beta, T *const c[], int ldc, int count) {
  if (bad_shape(op_a, op_b, m, n, k, lda, ldb, ldc)) return CUBLAS_STATUS_INVALID_VALUE;
  const ScalarArgument<T> scalar_a(h, alpha), scalar_b(h, beta);
  return blas_run(h, [=] {
    const Computed<T> ca = scalar_a(), cb = scalar_b();
    for (int i = 0; i < count; ++i)
      matrix_product(op_a, op_b, m, n, k, ca, a[i], lda, b[i], ldb, cb, c[i], ldc);
  });
}

// What the compute type says about the scalars' type and the accumulation.
enum class Compute : std::uint8_t { none, half, single, real, complex, complex_double, integer };
inline Compute compute_of(cublasComputeType_t type, cudaDataType c) {
  switch (type) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC: return Compute::half;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC: return c == CUDA_C_64F ? Compute::complex_double : Compute::real;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC: return Compute::integer;
    default: return c == CUDA_C_32F ? Compute::complex : Compute::single;
  }
}
// Programs for older versions give a data type.
inline cublasComputeType_t compute_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F: return CUBLAS_COMPUTE_16F;
    case CUDA_R_64F:
    case CUDA_C_64F: return CUBLAS_COMPUTE_64F;
    case CUDA_R_32I: return CUBLAS_COMPUTE_32I;
    default: return CUBLAS_COMPUTE_32F;
  }
}

struct MixedGemm {
  cublasOperation_t op_a, op_b;
  std::int64_t m, n, k, lda, ldb, ldc;
  cudaDataType type_a, type_b, type_c;
  Compute compute;
};
struct Scalars { double alpha = 0, beta = 0, alpha_i = 0, beta_i = 0; };

inline Scalars read_scalars(Compute compute, const void *alpha, const void *beta) {
  switch (compute) {
    case Compute::half: return {static_cast<float>(*static_cast<const __half *>(alpha)), static_cast<float>(*static_cast<const __half *>(beta))};
    case Compute::single: return {*static_cast<const float *>(alpha), *static_cast<const float *>(beta)};
    case Compute::real: return {*static_cast<const double *>(alpha), *static_cast<const double *>(beta)};
    case Compute::integer: return {static_cast<double>(*static_cast<const int *>(alpha)), static_cast<double>(*static_cast<const int *>(beta))};
    case Compute::complex: {
      auto a = *static_cast<const float2 *>(alpha), b = *static_cast<const float2 *>(beta);
      return {a.x, b.x, a.y, b.y};
    }
    case Compute::complex_double: {
      auto a = *static_cast<const double2 *>(alpha), b = *static_cast<const double2 *>(beta);
      return {a.x, b.x, a.y, b.y};
    }
    case Compute::none: break;
  }
  return {};
}

template <class T> inline constexpr bool is_complex_storage = std::is_same_v<T, float2> || std::is_same_v<T, double2>;
// The arithmetic of a mixed product: double if anything is double, complex if the result is.
template <class A, class C>
using MixedValue = std::conditional_t<is_complex_storage<C>, std::complex<std::conditional_t<std::is_same_v<C, double2>, double, float>>,
    std::conditional_t<std::is_same_v<C, double>, double, std::conditional_t<std::is_same_v<A, signed char> && std::is_same_v<C, int>, int, float>>>;

template <class A, class C>
inline constexpr bool mixes = is_complex_storage<A> == is_complex_storage<C> && !std::is_same_v<A, int> &&
                              !(std::is_same_v<C, signed char>);

// `finish` may be an epilogue. False for types that cuBLAS does not combine.
template <class Finish>
bool mixed_product(const MixedGemm &g, Scalars s, const void *a, const void *b, const void *c, void *d, std::int64_t ldd,
                   Finish finish) {
  if (g.type_a != g.type_b) return false;
  bool done = false;
  with_type(g.type_a, [&](auto in) {
    with_type(g.type_c, [&](auto out) {
      typedef decltype(in) A;
      typedef decltype(out) C;
      if constexpr (mixes<A, C>) {
        typedef MixedValue<A, C> V;
        V alpha, beta;
        if constexpr (is_complex_storage<C>) {
          typedef typename V::value_type R;
          alpha = V(static_cast<R>(s.alpha), static_cast<R>(s.alpha_i));
          beta = V(static_cast<R>(s.beta), static_cast<R>(s.beta_i));
        } else {
          alpha = static_cast<V>(s.alpha);
          beta = static_cast<V>(s.beta);
        }
        matrix_product(g.op_a, g.op_b, g.m, g.n, g.k, alpha, static_cast<const A *>(a), g.lda,
                       static_cast<const A *>(b), g.ldb, beta, static_cast<const C *>(c), g.ldc,
                       static_cast<C *>(d), ldd, finish);
        done = true;
      }
    });
  });
  return done;
}
inline std::size_t type_bytes(cudaDataType type) {
  std::size_t bytes = 0;
  with_type(type, [&](auto v) { bytes = sizeof v; });
  return bytes;
}

inline cublasStatus_t blas_gemm_ex(cublasHandle_t h, const MixedGemm &g, const void *alpha, const void *a,
                                   const void *b, const void *beta, void *c, std::int64_t step_a = 0,
                                   std::int64_t step_b = 0, std::int64_t step_c = 0, int count = 1) {
  if (bad_shape(g.op_a, g.op_b, g.m, g.n, g.k, g.lda, g.ldb, g.ldc)) return CUBLAS_STATUS_INVALID_VALUE;
  MixedGemm none = g;
  none.m = none.n = none.k = 0;
  if (!mixed_product(none, {}, a, b, c, c, g.ldc, Unchanged{})) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool late = h && h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
  const Scalars now = late ? Scalars{} : read_scalars(g.compute, alpha, beta);
  return blas_run(h, [=] {
    const Scalars s = late ? read_scalars(g.compute, alpha, beta) : now;
    for (std::int64_t i = 0; i < count; ++i) {
      auto at = [i](const void *p, std::int64_t step, cudaDataType type) {
        return static_cast<const char *>(p) + i * step * static_cast<std::int64_t>(type_bytes(type));
      };
      const char *to = at(c, step_c, g.type_c);
      mixed_product(g, s, at(a, step_a, g.type_a), at(b, step_b, g.type_b), to, const_cast<char *>(to), g.ldc, Unchanged{});
    }
  });
}

}  // namespace cuda_emu

#define CUDA_EMU_GEMM(L, T)                                                                         \
  inline cublasStatus_t cublas##L##gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, \
                                        const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) { \
    return cuda_emu::blas_gemm(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);            \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##gemmStridedBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, \
      int n, int k, const T *alpha, const T *a, int lda, long long sa, const T *b, int ldb, long long sb, const T *beta, \
      T *c, int ldc, long long sc, int count) {                                                     \
    return cuda_emu::blas_gemm(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, sa, sb, sc, count); \
  }                                                                                                 \
  inline cublasStatus_t cublas##L##gemmBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, \
      int k, const T *alpha, const T *const a[], int lda, const T *const b[], int ldb, const T *beta, T *const c[],    \
      int ldc, int count) {                                                                         \
    return cuda_emu::blas_gemm_pointers(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count); \
  }
CUDA_EMU_GEMM(S, float)
CUDA_EMU_GEMM(D, double)
CUDA_EMU_GEMM(C, float2)
CUDA_EMU_GEMM(Z, double2)
CUDA_EMU_GEMM(H, __half)
#undef CUDA_EMU_GEMM

// The compute type is cublasComputeType_t, or a data type in older programs.
template <class Type>
cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                            const void *alpha, const void *a, cudaDataType da, int lda, const void *b, cudaDataType db,
                            int ldb, const void *beta, void *c, cudaDataType dc, int ldc, Type compute, cublasGemmAlgo_t) {
  cublasComputeType_t type;
  if constexpr (std::is_same_v<Type, cublasComputeType_t>) type = compute;
  else type = cuda_emu::compute_of(compute);
  return cuda_emu::blas_gemm_ex(h, {ta, tb, m, n, k, lda, ldb, ldc, da, db, dc, cuda_emu::compute_of(type, dc)}, alpha, a, b, beta, c);
}
template <class Type>
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                          int k, const void *alpha, const void *a, cudaDataType da, int lda, long long sa,
                                          const void *b, cudaDataType db, int ldb, long long sb, const void *beta, void *c,
                                          cudaDataType dc, int ldc, long long sc, int count, Type compute, cublasGemmAlgo_t) {
  cublasComputeType_t type;
  if constexpr (std::is_same_v<Type, cublasComputeType_t>) type = compute;
  else type = cuda_emu::compute_of(compute);
  return cuda_emu::blas_gemm_ex(h, {ta, tb, m, n, k, lda, ldb, ldc, da, db, dc, cuda_emu::compute_of(type, dc)}, alpha, a, b,
                                beta, c, sa, sb, sc, count);
}
template <class Type>
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                                   const void *alpha, const void *const a[], cudaDataType da, int lda, const void *const b[],
                                   cudaDataType db, int ldb, const void *beta, void *const c[], cudaDataType dc, int ldc,
                                   int count, Type compute, cublasGemmAlgo_t algo) {
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; ++i)
    status = cublasGemmEx(h, ta, tb, m, n, k, alpha, a[i], da, lda, b[i], db, ldb, beta, c[i], dc, ldc, compute, algo);
  return status;
}
inline cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                                    const float *alpha, const void *a, cudaDataType da, int lda, const void *b,
                                    cudaDataType db, int ldb, const float *beta, void *c, cudaDataType dc, int ldc) {
  return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, da, lda, b, db, ldb, beta, c, dc, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
