// cuBLAS: types, handles, and how a call runs (at once, or in a captured graph).
#pragma once

#include "../../cuda_runtime.h"
#include "../library_types.h"

#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 4
#define CUBLAS_VER_PATCH 5
#define CUBLAS_VERSION 120405
#define CUBLASAPI
#define CUBLAS_API_H_
#define CUBLAS_V2_H_
#define CUBLASWINAPI

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_ARCH_MISMATCH = 8, CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13, CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15, CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef cublasStatus_t cublasStatus;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2, CUBLAS_OP_CONJG = 3 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
  CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_ALGO0 = 0, CUBLAS_GEMM_ALGO1,
  CUBLAS_GEMM_ALGO2, CUBLAS_GEMM_ALGO3, CUBLAS_GEMM_ALGO4, CUBLAS_GEMM_ALGO5, CUBLAS_GEMM_ALGO23 = 23,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99, CUBLAS_GEMM_DFALT_TENSOR_OP = 99, CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
  CUBLAS_GEMM_ALGO15_TENSOR_OP = 115
} cublasGemmAlgo_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_16F_PEDANTIC = 65, CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69, CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72, CUBLAS_COMPUTE_32I_PEDANTIC = 73, CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75, CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef cudaDataType cublasDataType_t;

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
};
typedef struct cublasContext *cublasHandle_t;

namespace cuda_emu {

// Runs library work in stream order. `call` holds copies of the scalars.
template <class Call>
cublasStatus_t blas_run(cublasHandle_t handle, Call call) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  submit(handle->stream, cudaGraphNodeTypeKernel, [call]() mutable { return call(), cudaSuccess; });
  return CUBLAS_STATUS_SUCCESS;
}
// A scalar of a call. In the device pointer mode it is read when the work runs, which may be each time
// that a captured graph is launched.
template <class T>
class ScalarArgument {
 public:
  ScalarArgument(cublasHandle_t handle, const T *value)
      : late_(handle && handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE ? value : nullptr),
        now_(late_ ? T{} : *value) {}
  Computed<T> operator()() const { return computed(late_ ? *late_ : now_); }

 private:
  const T *late_;
  T now_;
};

inline bool transposed(cublasOperation_t op) { return op == CUBLAS_OP_T || op == CUBLAS_OP_C; }
inline bool conjugated(cublasOperation_t op) { return op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG; }

}  // namespace cuda_emu

inline cublasStatus_t cublasCreate(cublasHandle_t *handle) {
  return *handle = new cublasContext, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) { return cublasCreate(handle); }
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  return delete handle, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) { return cublasDestroy(handle); }
inline cublasStatus_t cublasSetStream(cublasHandle_t h, cudaStream_t s) { return h->stream = s, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetStream_v2(cublasHandle_t h, cudaStream_t s) { return cublasSetStream(h, s); }
inline cublasStatus_t cublasGetStream(cublasHandle_t h, cudaStream_t *s) { return *s = h->stream, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetPointerMode(cublasHandle_t h, cublasPointerMode_t m) { return h->pointer_mode = m, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasGetPointerMode(cublasHandle_t h, cublasPointerMode_t *m) { return *m = h->pointer_mode, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetMathMode(cublasHandle_t h, cublasMath_t m) { return h->math = m, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasGetMathMode(cublasHandle_t h, cublasMath_t *m) { return *m = h->math, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetAtomicsMode(cublasHandle_t h, cublasAtomicsMode_t m) { return h->atomics = m, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetWorkspace(cublasHandle_t, void *, size_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasGetVersion(cublasHandle_t, int *version) { return *version = CUBLAS_VERSION, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasInit() { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasShutdown() { return CUBLAS_STATUS_SUCCESS; }

inline const char *cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
#define CUDA_EMU_STATUS(name) case name: return #name;
    CUDA_EMU_STATUS(CUBLAS_STATUS_SUCCESS) CUDA_EMU_STATUS(CUBLAS_STATUS_NOT_INITIALIZED)
    CUDA_EMU_STATUS(CUBLAS_STATUS_ALLOC_FAILED) CUDA_EMU_STATUS(CUBLAS_STATUS_INVALID_VALUE)
    CUDA_EMU_STATUS(CUBLAS_STATUS_ARCH_MISMATCH) CUDA_EMU_STATUS(CUBLAS_STATUS_MAPPING_ERROR)
    CUDA_EMU_STATUS(CUBLAS_STATUS_EXECUTION_FAILED) CUDA_EMU_STATUS(CUBLAS_STATUS_INTERNAL_ERROR)
    CUDA_EMU_STATUS(CUBLAS_STATUS_NOT_SUPPORTED) CUDA_EMU_STATUS(CUBLAS_STATUS_LICENSE_ERROR)
#undef CUDA_EMU_STATUS
  }
  return "CUBLAS_STATUS_UNKNOWN";
}
inline const char *cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

// -- copies between host and device, with strides ----------------------------------------------------
inline cublasStatus_t cublasSetVector(int n, int size, const void *x, int step_x, void *y, int step_y) {
  for (int i = 0; i < n; ++i)
    std::memcpy(static_cast<char *>(y) + static_cast<size_t>(i) * step_y * size,
                static_cast<const char *>(x) + static_cast<size_t>(i) * step_x * size, size);
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetVector(int n, int size, const void *x, int step_x, void *y, int step_y) {
  return cublasSetVector(n, size, x, step_x, y, step_y);
}
inline cublasStatus_t cublasSetVectorAsync(int n, int size, const void *x, int sx, void *y, int sy, cudaStream_t) {
  return cublasSetVector(n, size, x, sx, y, sy);
}
inline cublasStatus_t cublasGetVectorAsync(int n, int size, const void *x, int sx, void *y, int sy, cudaStream_t) {
  return cublasSetVector(n, size, x, sx, y, sy);
}
inline cublasStatus_t cublasSetMatrix(int rows, int cols, int size, const void *a, int lda, void *b, int ldb) {
  for (int j = 0; j < cols; ++j)
    std::memcpy(static_cast<char *>(b) + static_cast<size_t>(j) * ldb * size,
                static_cast<const char *>(a) + static_cast<size_t>(j) * lda * size, static_cast<size_t>(rows) * size);
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetMatrix(int rows, int cols, int size, const void *a, int lda, void *b, int ldb) {
  return cublasSetMatrix(rows, cols, size, a, lda, b, ldb);
}
