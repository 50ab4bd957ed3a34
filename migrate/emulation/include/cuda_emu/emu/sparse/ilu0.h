// cuSPARSE's incomplete LU factors without fill-in (csrilu02), in place of a CSR matrix.
#pragma once

#include "types.h"

typedef enum { CUSPARSE_SOLVE_POLICY_NO_LEVEL = 0, CUSPARSE_SOLVE_POLICY_USE_LEVEL = 1 } cusparseSolvePolicy_t;

struct csrilu02Info { int zero_pivot = -1; };
typedef struct csrilu02Info *csrilu02Info_t;

namespace cuda_emu {

// Row by row, L without its unit diagonal below U. The columns of a row ascend. Returns the first row whose
// pivot is missing or 0, -1 when there is none.
template <class T>
int factor_ilu0(int rows, T *values, const int *offsets, const int *columns, int base) {
  std::vector<int> place(static_cast<std::size_t>(rows), -1), diagonal(static_cast<std::size_t>(rows), -1);
  int bad = -1;
  for (int i = 0; i < rows; ++i) {
    const int first = offsets[i] - base, last = offsets[i + 1] - base;
    for (int p = first; p < last; ++p) place[static_cast<std::size_t>(columns[p] - base)] = p;
    for (int p = first; p < last && columns[p] - base < i; ++p) {
      const int k = columns[p] - base, pivot = diagonal[static_cast<std::size_t>(k)];
      if (pivot < 0) continue;  // reported at its own row
      values[p] /= values[pivot];
      for (int q = pivot + 1; q < offsets[k + 1] - base; ++q) {
        const int to = place[static_cast<std::size_t>(columns[q] - base)];
        if (to >= 0) values[to] -= values[p] * values[q];
      }
    }
    diagonal[static_cast<std::size_t>(i)] = place[static_cast<std::size_t>(i)];
    const int own = diagonal[static_cast<std::size_t>(i)];
    if (bad < 0 && (own < 0 || values[own] == T(0))) bad = i;
    for (int p = first; p < last; ++p) place[static_cast<std::size_t>(columns[p] - base)] = -1;
  }
  return bad;
}

}  // namespace cuda_emu

inline cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info) { return *info = new csrilu02Info, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info) { return delete info, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t, csrilu02Info_t info, int *row) {
  *row = info->zero_pivot;
  return *row < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

#define CUDA_EMU_ILU0(L, T)                                                                         \
  inline cusparseStatus_t cusparse##L##csrilu02_bufferSize(cusparseHandle_t, int, int, const cusparseMatDescr_t, T *,  \
                                                           const int *, const int *, csrilu02Info_t, int *bytes) {     \
    return *bytes = 1, CUSPARSE_STATUS_SUCCESS;                                                     \
  }                                                                                                 \
  inline cusparseStatus_t cusparse##L##csrilu02_analysis(cusparseHandle_t, int, int, const cusparseMatDescr_t, const T *, \
                                                         const int *, const int *, csrilu02Info_t, cusparseSolvePolicy_t, \
                                                         void *) {                                  \
    return CUSPARSE_STATUS_SUCCESS;                                                                 \
  }                                                                                                 \
  inline cusparseStatus_t cusparse##L##csrilu02(cusparseHandle_t h, int rows, int, const cusparseMatDescr_t d, T *values, \
                                                const int *offsets, const int *columns, csrilu02Info_t info,           \
                                                cusparseSolvePolicy_t, void *) {                    \
    if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;                                                 \
    const int base = d->base;                                                                       \
    cuda_emu::submit(h->stream, cudaGraphNodeTypeKernel, [=] {                                      \
      info->zero_pivot = cuda_emu::factor_ilu0(rows, values, offsets, columns, base);               \
      return cudaSuccess;                                                                           \
    });                                                                                             \
    return CUSPARSE_STATUS_SUCCESS;                                                                 \
  }
CUDA_EMU_ILU0(S, float)
CUDA_EMU_ILU0(D, double)
#undef CUDA_EMU_ILU0
