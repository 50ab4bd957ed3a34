// cuBLASLt on the CPU: matmul with bias, ReLU and GELU epilogues and their gradients.
#pragma once

#include "cublas_v2.h"
#include "emu/blas/lt_types.h"

namespace cuda_emu {

// The approximation with tanh, which cuBLASLt computes.
inline float gelu(float x) { return 0.5f * x * (1.0f + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x))); }
inline float gelu_slope(float x) {
  float t = std::tanh(0.7978845608f * (x + 0.044715f * x * x * x));
  return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * 0.7978845608f * (1.0f + 3.0f * 0.044715f * x * x);
}
inline float read_as(const void *p, std::int64_t i, cudaDataType type) {
  float out = 0.0f;
  with_type(type, [&](auto zero) {
    typedef decltype(zero) T;
    if constexpr (!is_complex_storage<T>) out = static_cast<float>(static_cast<const T *>(p)[i]);
  });
  return out;
}
inline void write_as(void *p, std::int64_t i, cudaDataType type, float v) {
  with_type(type, [&](auto zero) {
    typedef decltype(zero) T;
    if constexpr (!is_complex_storage<T>) static_cast<T *>(p)[i] = static_cast<T>(v);
  });
}

struct LtCall {
  cublasLtMatmulDescOpaque_t desc;
  cublasLtMatrixLayoutOpaque_t a, b, c, d;
  MixedGemm gemm;
};

// A row-major matrix is the transpose of a column-major one; all four have to agree.
inline bool lt_prepare(LtCall *call) {
  bool row = call->d.order == CUBLASLT_ORDER_ROW;
  for (const auto *l : {&call->a, &call->b, &call->c, &call->d})
    if (l->order != call->d.order || (l->order != CUBLASLT_ORDER_COL && l->order != CUBLASLT_ORDER_ROW)) return false;
  if (call->desc.scale_a || call->desc.scale_b || call->desc.scale_c || call->desc.scale_d) return false;
  auto ta = static_cast<cublasOperation_t>(call->desc.trans_a), tb = static_cast<cublasOperation_t>(call->desc.trans_b);
  auto m = static_cast<std::int64_t>(call->d.rows), n = static_cast<std::int64_t>(call->d.cols);
  auto k = static_cast<std::int64_t>(transposed(ta) ? call->a.rows : call->a.cols);
  if (row && call->desc.epilogue != CUBLASLT_EPILOGUE_DEFAULT) return false;
  Compute compute = compute_of(call->desc.compute, call->d.type);
  if (call->desc.scale_type == CUDA_R_32F) compute = Compute::single;
  call->gemm = row ? MixedGemm{tb, ta, n, m, k, call->b.ld, call->a.ld, call->c.ld, call->b.type, call->a.type, call->d.type, compute}
                   : MixedGemm{ta, tb, m, n, k, call->a.ld, call->b.ld, call->c.ld, call->a.type, call->b.type, call->d.type, compute};
  return call->c.type == call->d.type;
}

struct Epilogue {
  const LtCall *call;
  const char *bias;
  char *aux;

  float apply(float v, std::int64_t i, std::int64_t j) const {
    const auto &d = call->desc;
    auto bias_type = d.bias_type < 0 ? call->d.type : static_cast<cudaDataType>(d.bias_type);
    auto aux_type = d.aux_type < 0 ? call->d.type : static_cast<cudaDataType>(d.aux_type);
    switch (d.epilogue) {
      case CUBLASLT_EPILOGUE_BIAS:
      case CUBLASLT_EPILOGUE_RELU_BIAS:
      case CUBLASLT_EPILOGUE_GELU_BIAS:
      case CUBLASLT_EPILOGUE_GELU_AUX_BIAS: v += read_as(bias, i, bias_type); break;
      default: break;
    }
    switch (d.epilogue) {
      case CUBLASLT_EPILOGUE_RELU:
      case CUBLASLT_EPILOGUE_RELU_BIAS: return v > 0.0f ? v : 0.0f;
      case CUBLASLT_EPILOGUE_GELU_AUX:
      case CUBLASLT_EPILOGUE_GELU_AUX_BIAS: write_as(aux, j * d.aux_ld + i, aux_type, v); return gelu(v);
      case CUBLASLT_EPILOGUE_GELU:
      case CUBLASLT_EPILOGUE_GELU_BIAS: return gelu(v);
      case CUBLASLT_EPILOGUE_DGELU:
      case CUBLASLT_EPILOGUE_DGELU_BGRAD: return v * gelu_slope(read_as(aux, j * d.aux_ld + i, aux_type));
      default: return v;
    }
  }
  template <class V> V operator()(V v, std::int64_t i, std::int64_t j) const {
    if constexpr (std::is_same_v<V, float> || std::is_same_v<V, double> || std::is_same_v<V, int>)
      return static_cast<V>(call->desc.epilogue == CUBLASLT_EPILOGUE_DEFAULT ? v : static_cast<V>(apply(static_cast<float>(v), i, j)));
    else return v;
  }
};

inline bool epilogue_known(std::uint32_t e) {
  for (cublasLtEpilogue_t known : {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS,
                                   CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS,
                                   CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_DGELU,
                                   CUBLASLT_EPILOGUE_DGELU_BGRAD, CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB})
    if (e == static_cast<std::uint32_t>(known)) return true;
  return false;
}

// Gradients of a bias: sums over a matrix that the product has or makes.
inline void bias_gradient(const LtCall &call, const void *a, const void *b, const void *d, void *bias) {
  const auto &desc = call.desc;
  auto type = desc.bias_type < 0 ? call.d.type : static_cast<cudaDataType>(desc.bias_type);
  auto at = [](bool turned, const void *p, const cublasLtMatrixLayoutOpaque_t &l, std::int64_t i, std::int64_t j) {
    return read_as(p, turned ? i * l.ld + j : j * l.ld + i, l.type);
  };
  const MixedGemm &g = call.gemm;
  bool of_a = desc.epilogue == CUBLASLT_EPILOGUE_BGRADA, of_b = desc.epilogue == CUBLASLT_EPILOGUE_BGRADB;
  for (std::int64_t i = 0; i < (of_b ? g.n : g.m); ++i) {
    float sum = 0.0f;
    for (std::int64_t p = 0; p < (of_a || of_b ? g.k : g.n); ++p)
      sum += of_a ? at(transposed(g.op_a), a, call.a, i, p) : of_b ? at(transposed(g.op_b), b, call.b, p, i) : at(false, d, call.d, i, p);
    write_as(bias, i, type, sum);
  }
}

inline void lt_run(const LtCall &call, Scalars s, const void *a, const void *b, const void *c, void *d) {
  for (std::int64_t i = 0; i < call.d.batches; ++i) {
    auto at = [i](const void *p, const cublasLtMatrixLayoutOpaque_t &l) {
      return static_cast<const char *>(p) + i * l.stride * static_cast<std::int64_t>(type_bytes(l.type));
    };
    auto bias_type = call.desc.bias_type < 0 ? call.d.type : static_cast<cudaDataType>(call.desc.bias_type);
    char *bias = static_cast<char *>(call.desc.bias) + i * call.desc.bias_stride * static_cast<std::int64_t>(type_bytes(bias_type));
    char *aux = static_cast<char *>(call.desc.aux) + i * call.desc.aux_stride * static_cast<std::int64_t>(type_bytes(call.d.type));
    bool row = call.d.order == CUBLASLT_ORDER_ROW;
    const char *left = at(a, call.a), *right = at(b, call.b);
    char *to = const_cast<char *>(at(d, call.d));
    mixed_product(call.gemm, s, row ? right : left, row ? left : right, at(c ? c : d, call.c), to, call.d.ld, Epilogue{&call, bias, aux});
    std::uint32_t e = call.desc.epilogue;
    if (e == CUBLASLT_EPILOGUE_BGRADA || e == CUBLASLT_EPILOGUE_BGRADB || e == CUBLASLT_EPILOGUE_DGELU_BGRAD)
      bias_gradient(call, left, right, to, bias);
  }
}

}  // namespace cuda_emu

inline cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
                                     cublasLtMatrixLayout_t la, const void *b, cublasLtMatrixLayout_t lb, const void *beta,
                                     const void *c, cublasLtMatrixLayout_t lc, void *d, cublasLtMatrixLayout_t ld,
                                     const cublasLtMatmulAlgo_t *, void *, size_t, cudaStream_t stream) {
  cuda_emu::LtCall call{*desc, *la, *lb, *lc, *ld, {}};
  if (!cuda_emu::lt_prepare(&call) || !cuda_emu::epilogue_known(desc->epilogue)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto &g = call.gemm;
  if (cuda_emu::bad_shape(g.op_a, g.op_b, g.m, g.n, g.k, g.lda, g.ldb, g.ldc)) return CUBLAS_STATUS_INVALID_VALUE;
  cuda_emu::MixedGemm none = g;
  none.m = none.n = none.k = 0;
  if (!cuda_emu::mixed_product(none, {}, a, b, c, d, g.ldc, cuda_emu::Unchanged{})) return CUBLAS_STATUS_NOT_SUPPORTED;
  cuda_emu::Scalars s = cuda_emu::read_scalars(g.compute, alpha, beta);
  cublasContext context;
  context.stream = stream;
  return cuda_emu::blas_run(&context, [=] { cuda_emu::lt_run(call, s, a, b, c, d); });
}
// One algorithm, which fits whatever cublasLtMatmul accepts.
inline cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                                     cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                     cublasLtMatmulPreference_t, int wanted,
                                                     cublasLtMatmulHeuristicResult_t *results, int *found) {
  *found = wanted > 0;
  if (wanted > 0) results[0] = cublasLtMatmulHeuristicResult_t{};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t, cublasComputeType_t, cudaDataType, cudaDataType, cudaDataType,
                                             cudaDataType, cudaDataType, int, cublasLtMatmulAlgo_t *algo) {
  return *algo = cublasLtMatmulAlgo_t{}, CUBLAS_STATUS_SUCCESS;
}
