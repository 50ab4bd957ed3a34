// cuBLASLt: descriptors and their attributes.
#pragma once

#include "gemm.h"

typedef enum {
  CUBLASLT_MATMUL_DESC_COMPUTE_TYPE = 0, CUBLASLT_MATMUL_DESC_SCALE_TYPE = 1,
  CUBLASLT_MATMUL_DESC_POINTER_MODE = 2, CUBLASLT_MATMUL_DESC_TRANSA = 3, CUBLASLT_MATMUL_DESC_TRANSB = 4,
  CUBLASLT_MATMUL_DESC_TRANSC = 5, CUBLASLT_MATMUL_DESC_FILL_MODE = 6, CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE = 10,
  CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER = 11, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD = 12,
  CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE = 13, CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET = 15,
  CUBLASLT_MATMUL_DESC_A_SCALE_POINTER = 17, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER = 18,
  CUBLASLT_MATMUL_DESC_C_SCALE_POINTER = 19, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER = 20,
  CUBLASLT_MATMUL_DESC_AMAX_D_POINTER = 21, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE = 22,
  CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER = 23, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER = 24,
  CUBLASLT_MATMUL_DESC_FAST_ACCUM = 25, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 26
} cublasLtMatmulDescAttributes_t;
typedef enum {
  CUBLASLT_EPILOGUE_DEFAULT = 1, CUBLASLT_EPILOGUE_RELU = 2, CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLASLT_EPILOGUE_RELU_BIAS = 6, CUBLASLT_EPILOGUE_GELU = 32, CUBLASLT_EPILOGUE_GELU_BIAS = 36,
  CUBLASLT_EPILOGUE_RELU_AUX = 130, CUBLASLT_EPILOGUE_RELU_AUX_BIAS = 134, CUBLASLT_EPILOGUE_DRELU = 136,
  CUBLASLT_EPILOGUE_DRELU_BGRAD = 152, CUBLASLT_EPILOGUE_GELU_AUX = 160, CUBLASLT_EPILOGUE_GELU_AUX_BIAS = 164,
  CUBLASLT_EPILOGUE_DGELU = 192, CUBLASLT_EPILOGUE_DGELU_BGRAD = 208, CUBLASLT_EPILOGUE_BGRADA = 256,
  CUBLASLT_EPILOGUE_BGRADB = 512
} cublasLtEpilogue_t;
typedef enum {
  CUBLASLT_MATRIX_LAYOUT_TYPE = 0, CUBLASLT_MATRIX_LAYOUT_ORDER = 1, CUBLASLT_MATRIX_LAYOUT_ROWS = 2,
  CUBLASLT_MATRIX_LAYOUT_COLS = 3, CUBLASLT_MATRIX_LAYOUT_LD = 4, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET = 7
} cublasLtMatrixLayoutAttribute_t;
typedef enum { CUBLASLT_ORDER_COL = 0, CUBLASLT_ORDER_ROW = 1, CUBLASLT_ORDER_COL32 = 2,
               CUBLASLT_ORDER_COL4_4R2_8C = 3, CUBLASLT_ORDER_COL32_2R_4R4 = 4 } cublasLtOrder_t;
typedef enum { CUBLASLT_POINTER_MODE_HOST = 0, CUBLASLT_POINTER_MODE_DEVICE = 1 } cublasLtPointerMode_t;
typedef enum {
  CUBLASLT_MATMUL_PREF_SEARCH_MODE = 0, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
  CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8
} cublasLtMatmulPreferenceAttributes_t;

struct cublasLtMatrixLayoutOpaque_t {
  cudaDataType type;
  std::uint64_t rows, cols;
  std::int64_t ld;
  std::int32_t order, batches;
  std::int64_t stride;
};
typedef cublasLtMatrixLayoutOpaque_t *cublasLtMatrixLayout_t;
struct cublasLtMatmulDescOpaque_t {
  cublasComputeType_t compute;
  cudaDataType scale_type;
  std::int32_t pointer_mode, trans_a, trans_b;
  std::uint32_t epilogue;
  void *bias, *aux;
  std::int64_t bias_stride, aux_ld, aux_stride;
  std::int32_t bias_type, aux_type;  // -1: the type of D
  const float *scale_a, *scale_b, *scale_c, *scale_d;
};
typedef cublasLtMatmulDescOpaque_t *cublasLtMatmulDesc_t;
struct cublasLtMatmulPreferenceOpaque_t { std::uint64_t workspace; };
typedef cublasLtMatmulPreferenceOpaque_t *cublasLtMatmulPreference_t;
typedef struct { std::uint64_t data[8]; } cublasLtMatmulAlgo_t;
typedef struct {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
} cublasLtMatmulHeuristicResult_t;
struct cublasLtContext {};
typedef struct cublasLtContext *cublasLtHandle_t;

namespace cuda_emu {
// An attribute's value goes into or comes out of a field, if the sizes agree.
template <class T>
cublasStatus_t set_field(T &field, const void *value, size_t bytes) {
  if (bytes != sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
  return std::memcpy(static_cast<void *>(&field), value, bytes), CUBLAS_STATUS_SUCCESS;
}
}  // namespace cuda_emu

inline cublasStatus_t cublasLtCreate(cublasLtHandle_t *h) { return *h = new cublasLtContext, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t h) { return delete h, CUBLAS_STATUS_SUCCESS; }
inline size_t cublasLtGetVersion() { return CUBLAS_VERSION; }
inline cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t d, cublasComputeType_t compute, cudaDataType scale) {
  *d = cublasLtMatmulDescOpaque_t{};
  d->compute = compute;
  d->scale_type = scale;
  d->epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  d->bias_type = d->aux_type = -1;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *d, cublasComputeType_t compute, cudaDataType scale) {
  return cublasLtMatmulDescInit(*d = new cublasLtMatmulDescOpaque_t, compute, scale);
}
inline cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t d) { return delete d, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t attribute,
                                                     const void *value, size_t bytes) {
  using cuda_emu::set_field;
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE: return set_field(d->compute, value, bytes);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE: return set_field(d->scale_type, value, bytes);
    case CUBLASLT_MATMUL_DESC_POINTER_MODE: return set_field(d->pointer_mode, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSA: return set_field(d->trans_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB: return set_field(d->trans_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE: return set_field(d->epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return set_field(d->bias, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE: return set_field(d->bias_stride, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: return set_field(d->bias_type, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER: return set_field(d->aux, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD: return set_field(d->aux_ld, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE: return set_field(d->aux_stride, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE: return set_field(d->aux_type, value, bytes);
    case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER: return set_field(d->scale_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER: return set_field(d->scale_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_C_SCALE_POINTER: return set_field(d->scale_c, value, bytes);
    case CUBLASLT_MATMUL_DESC_D_SCALE_POINTER: return set_field(d->scale_d, value, bytes);
    case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
    case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET: return CUBLAS_STATUS_SUCCESS;  // speed alone
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}
inline cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t l, cudaDataType type, std::uint64_t rows,
                                               std::uint64_t cols, std::int64_t ld) {
  *l = cublasLtMatrixLayoutOpaque_t{type, rows, cols, ld, CUBLASLT_ORDER_COL, 1, 0};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *l, cudaDataType type, std::uint64_t rows,
                                                 std::uint64_t cols, std::int64_t ld) {
  return cublasLtMatrixLayoutInit(*l = new cublasLtMatrixLayoutOpaque_t, type, rows, cols, ld);
}
inline cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t l) { return delete l, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t l, cublasLtMatrixLayoutAttribute_t attribute,
                                                       const void *value, size_t bytes) {
  using cuda_emu::set_field;
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE: return set_field(l->type, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_ORDER: return set_field(l->order, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_ROWS: return set_field(l->rows, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_COLS: return set_field(l->cols, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_LD: return set_field(l->ld, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return set_field(l->batches, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return set_field(l->stride, value, bytes);
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}
inline cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t p) { return p->workspace = 0, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *p) {
  return cublasLtMatmulPreferenceInit(*p = new cublasLtMatmulPreferenceOpaque_t);
}
inline cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t p) { return delete p, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t p, cublasLtMatmulPreferenceAttributes_t a,
                                                           const void *value, size_t bytes) {
  if (a != CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) return CUBLAS_STATUS_SUCCESS;
  return cuda_emu::set_field(p->workspace, value, bytes);
}
