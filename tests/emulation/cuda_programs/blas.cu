// cuBLAS and cuBLASLt against plain loops over small integers, which every type holds exactly.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <complex>
#include <vector>

#include "expect.h"

static cublasHandle_t handle;

template <class T> T *memory(size_t n) {
  T *p;
  cudaMallocManaged(&p, n * sizeof(T));
  return p;
}
static int small(int i) { return (i * 7919 + 13) % 7 - 3; }
template <class T> T *filled(int n, int seed) {
  T *p = memory<T>(n);
  for (int i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, float2>) p[i] = float2{(float)small(i + seed), (float)small(2 * i + seed + 1)};
    else p[i] = T(static_cast<float>(small(i + seed)));
  }
  return p;
}
typedef std::complex<double> Z;
template <class T> Z number(const T &v) {
  if constexpr (std::is_same_v<T, float2>) return Z(v.x, v.y);
  else return Z(static_cast<double>(static_cast<float>(v)), 0);
}
template <class T> Z of(cublasOperation_t op, const T *a, int ld, int i, int j) {
  Z v = number(op == CUBLAS_OP_N ? a[j * ld + i] : a[i * ld + j]);
  return op == CUBLAS_OP_C ? std::conj(v) : v;
}
template <class T, class C>
static bool product(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, Z alpha, const T *a, int lda, const T *b,
                    int ldb, Z beta, const C *before, const C *c, int ldc) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      Z sum = 0;
      for (int p = 0; p < k; ++p) sum += of(ta, a, lda, i, p) * of(tb, b, ldb, p, j);
      sum = alpha * sum + (beta == 0.0 ? Z(0) : beta * number(before[j * ldc + i]));
      if (sum != number(c[j * ldc + i])) return false;
    }
  for (int j = 0; j < n; ++j)
    if (m < ldc && number(before[j * ldc + m]) != number(c[j * ldc + m])) return false;  // the padding stays
  return true;
}

template <class T, class Gemm> static void gemm(const char *name, Gemm call, T alpha, T beta) {
  const int m = 5, n = 4, k = 6, ld = 9;
  for (cublasOperation_t ta : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
    for (cublasOperation_t tb : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
      T *a = filled<T>(81, 1), *b = filled<T>(81, 2), *c = filled<T>(81, 3);
      std::vector<T> before(c, c + 81);
      cublasStatus_t status = call(handle, ta, tb, m, n, k, &alpha, a, ld, b, ld, &beta, c, ld);
      expect::that(name, status == CUBLAS_STATUS_SUCCESS && product(ta, tb, m, n, k, number(alpha), a, ld, b, ld, number(beta), before.data(), c, ld));
      cudaFree(a), cudaFree(b), cudaFree(c);
    }
}

static void products() {
  gemm<float>("sgemm", cublasSgemm, 2, 3);
  gemm<double>("dgemm", cublasDgemm, 1, 0);
  gemm<float2>("cgemm", cublasCgemm, float2{1, 2}, float2{0, 1});
  gemm<__half>("hgemm", cublasHgemm, __half(1.0f), __half(2.0f));
  float *c = memory<float>(1), one = 1, zero = 0;
  c[0] = NAN;
  float *x = filled<float>(1, 1), *y = filled<float>(1, 2);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, x, 1, y, 1, &zero, c, 1);
  expect::equal("beta of zero does not read C", c[0], x[0] * y[0]);
  expect::equal("a leading dimension too small", (int)cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 1, 1, &one, x, 1, y, 1, &zero, c, 4), (int)CUBLAS_STATUS_INVALID_VALUE);

  __half *a = filled<__half>(24, 1), *b = filled<__half>(24, 2);
  float *d = memory<float>(24);
  expect::equal("gemmEx", (int)cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 3, 2, 4, &one, a, CUDA_R_16F, 4, b, CUDA_R_16F, 4, &zero, d, CUDA_R_32F, 3, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT), 0);
  expect::that("gemmEx values", product(CUBLAS_OP_T, CUBLAS_OP_N, 3, 2, 4, 1, a, 4, b, 4, 0, d, d, 3));
  signed char *p = filled<signed char>(24, 1), *q = filled<signed char>(24, 2);
  int *r = memory<int>(24), i_one = 1, i_zero = 0;
  cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &i_one, p, CUDA_R_8I, 4, q, CUDA_R_8I, 4, &i_zero, r, CUDA_R_32I, 4, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT);
  expect::that("int8", product(CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, 1, p, 4, q, 4, 0, r, r, 4));
  expect::equal("types that do not mix", (int)cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, p, CUDA_R_8I, 4, a, CUDA_R_16F, 4, &zero, d, CUDA_R_32F, 4, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT), (int)CUBLAS_STATUS_NOT_SUPPORTED);
  float *s = filled<float>(64, 1), *t = filled<float>(64, 2), *u = memory<float>(64);
  cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &one, s, 2, 4, t, 2, 4, &zero, u, 2, 4, 3);
  bool good = true;
  for (int i = 0; i < 3; ++i) good = good && product(CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, 1, s + 4 * i, 2, t + 4 * i, 2, 0, u, u + 4 * i, 2);
  expect::that("strided", good);
  float **as = memory<float *>(2), **bs = memory<float *>(2), **cs = memory<float *>(2);
  as[0] = s, as[1] = s + 8, bs[0] = t + 4, bs[1] = t, cs[0] = u + 8, cs[1] = u;
  cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, as, 2, bs, 2, &zero, cs, 2, 2);
  expect::that("pointers", product(CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, 1, s + 8, 2, t, 2, 0, u, u, 2) && product(CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, 1, s, 2, t + 4, 2, 0, u, u + 8, 2));
}

static void vectors() {
  float *x = memory<float>(6), *y = memory<float>(6), two = 2, r = 0;
  for (int i = 0; i < 6; ++i) x[i] = i - 4.0f, y[i] = 1;
  cublasSaxpy(handle, 3, &two, x, 2, y, 1);
  expect::that("axpy", y[0] == -7 && y[1] == -3 && y[2] == 1 && y[3] == 1);
  cublasSaxpy(handle, 2, &two, x, -1, y, 1);
  expect::that("axpy backwards", y[0] == -13 && y[1] == -11);
  cublasSdot(handle, 6, x, 1, x, 1, &r);
  expect::equal("dot", r, 31.0f);
  cublasSasum(handle, 6, x, 1, &r);
  expect::equal("asum", r, 11.0f);
  cublasSnrm2(handle, 2, x + 4, 1, &r);
  expect::equal("nrm2", r, 1.0f);
  x[0] = 3e30f, x[1] = 4e30f;
  cublasSnrm2(handle, 2, x, 1, &r);
  expect::equal("nrm2 does not overflow", r, 5e30f);
  int at = 0;
  x[0] = -3, x[1] = 3;
  cublasIsamax(handle, 6, x, 1, &at);
  expect::equal("amax", at, 1);
  cublasIsamin(handle, 6, x, 1, &at);
  expect::equal("amin", at, 5);
  float2 *z = filled<float2>(4, 1), product{};
  cublasCdotc(handle, 4, z, 1, z, 1, &product);
  expect::that("dotc", product.x > 0 && product.y == 0);
  cublasSscal(handle, 6, &two, x, 1);
  expect::equal("scal", x[0], -6.0f);
  float *a = filled<float>(12, 1), *v = filled<float>(4, 5), *w = memory<float>(4), one = 1, zero = 0;
  w[0] = NAN;
  cublasSgemv(handle, CUBLAS_OP_T, 3, 4, &one, a, 3, v, 1, &zero, w, 1);
  expect::equal("gemv", w[1], a[3] * v[0] + a[4] * v[1] + a[5] * v[2]);
  expect::equal("gemv of zero beta", w[0], a[0] * v[0] + a[1] * v[1] + a[2] * v[2]);
  std::vector<float> before(a, a + 12);
  cublasSger(handle, 3, 4, &two, v, 1, w, 1, a, 3);
  expect::equal("ger", a[7], before[7] + 2 * v[1] * w[2]);
  float *m = memory<float>(6), host[4] = {1, 2, 3, 4};
  cublasSetMatrix(2, 2, sizeof(float), host, 2, m, 3);
  expect::that("setMatrix", m[0] == 1 && m[1] == 2 && m[3] == 3 && m[4] == 4);
}

static void triangles() {
  const int n = 4;
  double *a = memory<double>(n * n), *b = memory<double>(n * n), *x = memory<double>(n * n), one = 1, zero = 0;
  for (int side = 0; side < 2; ++side)
    for (int fill = 0; fill < 2; ++fill)
      for (int op = 0; op < 2; ++op) {
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < n; ++i) {
            bool kept = fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
            a[j * n + i] = kept ? (i == j ? 2 : small(i + 3 * j)) : 99;
            b[j * n + i] = x[j * n + i] = small(5 * i + j);
          }
        auto s = static_cast<cublasSideMode_t>(side);
        auto f = static_cast<cublasFillMode_t>(fill);
        auto o = static_cast<cublasOperation_t>(op);
        cublasDtrsm(handle, s, f, o, CUBLAS_DIAG_NON_UNIT, n, n, &one, a, n, x, n);
        cublasDtrmm(handle, s, f, o, CUBLAS_DIAG_NON_UNIT, n, n, &one, a, n, x, n, x, n);
        bool back = true;
        for (int i = 0; i < n * n; ++i) back = back && std::fabs(x[i] - b[i]) < 1e-9;
        expect::that("trsm undone by trmm", back);
      }
  double *c = memory<double>(n * n), *d = memory<double>(n * n);
  cublasDsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, n, n, &one, b, n, &zero, c, n);
  cublasDgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &one, b, n, b, n, &zero, d, n);
  expect::that("syrk", c[1] == d[1] && c[7] == d[7] && c[4] != d[4]);
  cublasDgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, n, &one, b, n, &zero, nullptr, n, c, n);
  expect::equal("geam transposes", c[1], b[4]);
  double **ps = memory<double *>(1), **qs = memory<double *>(1);
  int *pivots = memory<int>(n), *info = memory<int>(1);
  for (int i = 0; i < n * n; ++i) a[i] = small(i * i + 1) + (i % 5 == 0 ? 10 : 0), b[i] = a[i];
  ps[0] = a, qs[0] = c;
  cublasDgetrfBatched(handle, n, ps, n, pivots, info, 1);
  cublasDgetriBatched(handle, n, ps, n, pivots, qs, n, info, 1);
  cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, c, n, &zero, d, n);
  bool unit = true;
  for (int i = 0; i < n * n; ++i) unit = unit && std::fabs(d[i] - (i % 5 == 0)) < 1e-12;
  expect::that("inverse", unit && info[0] == 0);
}

static void lt() {
  cublasLtHandle_t h;
  cublasLtCreate(&h);
  cublasLtMatmulDesc_t desc;
  cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasOperation_t t = CUBLAS_OP_T;
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &t, sizeof t);
  const int m = 3, n = 4, k = 5;
  cublasLtMatrixLayout_t la, lb, lc;
  cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, k, m, k);
  cublasLtMatrixLayoutCreate(&lb, CUDA_R_32F, k, n, k);
  cublasLtMatrixLayoutCreate(&lc, CUDA_R_32F, m, n, m);
  float *a = filled<float>(k * m, 1), *b = filled<float>(k * n, 2), *d = memory<float>(m * n), *bias = filled<float>(m, 3);
  float *aux = memory<float>(m * n), one = 1, zero = 0;
  std::vector<float> plain(m * n);
  auto run = [&](cublasLtEpilogue_t e) {
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &e, sizeof e);
    return cublasLtMatmul(h, desc, &one, a, la, b, lb, &zero, d, lc, d, lc, nullptr, nullptr, 0, 0);
  };
  expect::equal("lt", (int)run(CUBLASLT_EPILOGUE_DEFAULT), 0);
  expect::that("lt values", product(CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, 1, a, k, b, k, 0, d, d, m));
  plain.assign(d, d + m * n);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias);
  std::int64_t ld = m;
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux, sizeof aux);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld, sizeof ld);
  run(CUBLASLT_EPILOGUE_RELU_BIAS);
  for (int i = 0; i < m * n; ++i) expect::equal("relu and bias", d[i], std::fmax(plain[i] + bias[i % m], 0.0f));
  run(CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
  for (int i = 0; i < m * n; ++i) {
    float v = plain[i] + bias[i % m];
    expect::equal("aux", aux[i], v);
    expect::near("gelu", d[i], 0.5 * v * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (v + 0.044715 * v * v * v))), 1e-5);
  }
  run(CUBLASLT_EPILOGUE_BGRADB);
  expect::equal("bias gradient", bias[1], b[5] + b[6] + b[7] + b[8] + b[9]);
  expect::equal("an epilogue that is not there", (int)run(CUBLASLT_EPILOGUE_DRELU), (int)CUBLAS_STATUS_NOT_SUPPORTED);
}

int main() {
  cublasCreate(&handle);
  products();
  vectors();
  triangles();
  lt();
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cublasSetStream(handle, stream);
  float *x = memory<float>(1), two = 2;
  x[0] = 1;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cublasSscal(handle, 1, &two, x, 1);
  cudaGraph_t graph;
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(exec, stream);
  expect::equal("captured", x[0], 8.0f);
  cublasDestroy(handle);
  return expect::report();
}
