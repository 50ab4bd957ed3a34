// cuSPARSE: handles and descriptors of the generic interface.
#pragma once

#include "../../cuda_runtime.h"
#include "../library_types.h"

#define CUSPARSEAPI

typedef enum {
  CUSPARSE_STATUS_SUCCESS = 0, CUSPARSE_STATUS_NOT_INITIALIZED = 1, CUSPARSE_STATUS_ALLOC_FAILED = 2,
  CUSPARSE_STATUS_INVALID_VALUE = 3, CUSPARSE_STATUS_ARCH_MISMATCH = 4, CUSPARSE_STATUS_MAPPING_ERROR = 5,
  CUSPARSE_STATUS_EXECUTION_FAILED = 6, CUSPARSE_STATUS_INTERNAL_ERROR = 7,
  CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8, CUSPARSE_STATUS_ZERO_PIVOT = 9,
  CUSPARSE_STATUS_NOT_SUPPORTED = 10, CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} cusparseStatus_t;
typedef enum { CUSPARSE_OPERATION_NON_TRANSPOSE = 0, CUSPARSE_OPERATION_TRANSPOSE = 1,
               CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2 } cusparseOperation_t;
typedef enum { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I = 2, CUSPARSE_INDEX_64I = 3 } cusparseIndexType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO = 0, CUSPARSE_INDEX_BASE_ONE = 1 } cusparseIndexBase_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum { CUSPARSE_POINTER_MODE_HOST = 0, CUSPARSE_POINTER_MODE_DEVICE = 1 } cusparsePointerMode_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER = 0, CUSPARSE_FILL_MODE_UPPER = 1 } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT = 0, CUSPARSE_DIAG_TYPE_UNIT = 1 } cusparseDiagType_t;
typedef enum { CUSPARSE_MATRIX_TYPE_GENERAL = 0, CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1,
               CUSPARSE_MATRIX_TYPE_HERMITIAN = 2, CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3 } cusparseMatrixType_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE = 0, CUSPARSE_SPMAT_DIAG_TYPE = 1 } cusparseSpMatAttribute_t;
typedef enum { CUSPARSE_SPMV_ALG_DEFAULT = 0, CUSPARSE_MV_ALG_DEFAULT = 0, CUSPARSE_SPMV_COO_ALG1 = 1, CUSPARSE_SPMV_CSR_ALG1 = 2,
               CUSPARSE_SPMV_CSR_ALG2 = 3, CUSPARSE_SPMV_COO_ALG2 = 4 } cusparseSpMVAlg_t;
typedef enum { CUSPARSE_SPMM_ALG_DEFAULT = 0, CUSPARSE_SPMM_COO_ALG1 = 1, CUSPARSE_SPMM_CSR_ALG1 = 4,
               CUSPARSE_SPMM_CSR_ALG2 = 6, CUSPARSE_SPMM_CSR_ALG3 = 12 } cusparseSpMMAlg_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT = 0 } cusparseSpSVAlg_t;
typedef enum { CUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0 } cusparseSparseToDenseAlg_t;
typedef enum { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT = 0 } cusparseDenseToSparseAlg_t;
typedef enum { CUSPARSE_FORMAT_CSR = 1, CUSPARSE_FORMAT_CSC = 2, CUSPARSE_FORMAT_COO = 3 } cusparseFormat_t;

struct cusparseContext {
  cudaStream_t stream = nullptr;
  cusparsePointerMode_t pointer_mode = CUSPARSE_POINTER_MODE_HOST;
};
typedef struct cusparseContext *cusparseHandle_t;
struct cusparseMatDescr {
  cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diag = CUSPARSE_DIAG_TYPE_NON_UNIT;
};
typedef struct cusparseMatDescr *cusparseMatDescr_t;
struct cusparseSpMatDescr {
  cusparseFormat_t format;
  std::int64_t rows, cols, entries;
  void *offsets, *indices, *values;  // COO: row indices, column indices
  cusparseIndexType_t offset_type, index_type;
  cusparseIndexBase_t base;
  cudaDataType type;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diag = CUSPARSE_DIAG_TYPE_NON_UNIT;
};
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef const struct cusparseSpMatDescr *cusparseConstSpMatDescr_t;
struct cusparseDnVecDescr { std::int64_t size; void *values; cudaDataType type; };
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef const struct cusparseDnVecDescr *cusparseConstDnVecDescr_t;
struct cusparseDnMatDescr { std::int64_t rows, cols, ld; void *values; cudaDataType type; cusparseOrder_t order; };
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef const struct cusparseDnMatDescr *cusparseConstDnMatDescr_t;
struct cusparseSpSVDescr {};
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;

inline cusparseStatus_t cusparseCreate(cusparseHandle_t *h) { return *h = new cusparseContext, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseDestroy(cusparseHandle_t h) { return delete h, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSetStream(cusparseHandle_t h, cudaStream_t s) { return h->stream = s, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t h, cusparsePointerMode_t m) { return h->pointer_mode = m, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t h, cusparsePointerMode_t *m) { return *m = h->pointer_mode, CUSPARSE_STATUS_SUCCESS; }
inline const char *cusparseGetErrorString(cusparseStatus_t s) { return s == CUSPARSE_STATUS_SUCCESS ? "success" : "cuSPARSE error"; }
inline const char *cusparseGetErrorName(cusparseStatus_t s) {
  return s == CUSPARSE_STATUS_SUCCESS ? "CUSPARSE_STATUS_SUCCESS" : "CUSPARSE_STATUS_ERROR";
}
inline cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *d) { return *d = new cusparseMatDescr, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t d) { return delete d, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t d, cusparseMatrixType_t t) { return d->type = t, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t d, cusparseIndexBase_t b) { return d->base = b, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t d, cusparseFillMode_t f) { return d->fill = f, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t d, cusparseDiagType_t t) { return d->diag = t, CUSPARSE_STATUS_SUCCESS; }

inline cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *m, std::int64_t rows, std::int64_t cols, std::int64_t entries,
                                          void *offsets, void *indices, void *values, cusparseIndexType_t offset_type,
                                          cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
  *m = new cusparseSpMatDescr{CUSPARSE_FORMAT_CSR, rows, cols, entries, offsets, indices, values, offset_type, index_type, base, type};
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *m, std::int64_t rows, std::int64_t cols, std::int64_t entries,
                                          void *offsets, void *indices, void *values, cusparseIndexType_t offset_type,
                                          cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
  *m = new cusparseSpMatDescr{CUSPARSE_FORMAT_CSC, rows, cols, entries, offsets, indices, values, offset_type, index_type, base, type};
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *m, std::int64_t rows, std::int64_t cols, std::int64_t entries,
                                          void *row, void *col, void *values, cusparseIndexType_t index_type,
                                          cusparseIndexBase_t base, cudaDataType type) {
  *m = new cusparseSpMatDescr{CUSPARSE_FORMAT_COO, rows, cols, entries, row, col, values, index_type, index_type, base, type};
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t m) { return delete m, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t m, std::int64_t *rows, std::int64_t *cols, std::int64_t *entries) {
  return *rows = m->rows, *cols = m->cols, *entries = m->entries, CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t m, void *offsets, void *indices, void *values) {
  return m->offsets = offsets, m->indices = indices, m->values = values, CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t a, void *value, size_t bytes) {
  if (bytes != sizeof(int)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (a == CUSPARSE_SPMAT_FILL_MODE) m->fill = *static_cast<cusparseFillMode_t *>(value);
  else m->diag = *static_cast<cusparseDiagType_t *>(value);
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *v, std::int64_t size, void *values, cudaDataType type) {
  return *v = new cusparseDnVecDescr{size, values, type}, CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t v) { return delete v, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t v, void *values) { return v->values = values, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t v, void **values) { return *values = v->values, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *m, std::int64_t rows, std::int64_t cols, std::int64_t ld,
                                            void *values, cudaDataType type, cusparseOrder_t order) {
  return *m = new cusparseDnMatDescr{rows, cols, ld, values, type, order}, CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t m) { return delete m, CUSPARSE_STATUS_SUCCESS; }
