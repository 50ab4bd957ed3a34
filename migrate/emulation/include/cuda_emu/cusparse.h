// cuSPARSE on the CPU: products, triangular solves and conversions of CSR, CSC and COO matrices.
#pragma once

#include "cuComplex.h"
#include "emu/sparse/ilu0.h"
#include "emu/sparse/types.h"

namespace cuda_emu {

inline std::int64_t sparse_index(const void *p, cusparseIndexType_t type, std::int64_t i) {
  return type == CUSPARSE_INDEX_64I ? static_cast<const std::int64_t *>(p)[i] : static_cast<const int *>(p)[i];
}
inline void put_index(void *p, cusparseIndexType_t type, std::int64_t i, std::int64_t value) {
  if (type == CUSPARSE_INDEX_64I) static_cast<std::int64_t *>(p)[i] = value;
  else static_cast<int *>(p)[i] = static_cast<int>(value);
}

// Calls `use(row, column, position)` for every entry.
template <class Use>
void each_entry(const cusparseSpMatDescr &m, Use use) {
  if (m.format == CUSPARSE_FORMAT_COO) {
    for (std::int64_t p = 0; p < m.entries; ++p)
      use(sparse_index(m.offsets, m.offset_type, p) - m.base, sparse_index(m.indices, m.index_type, p) - m.base, p);
    return;
  }
  std::int64_t lines = m.format == CUSPARSE_FORMAT_CSR ? m.rows : m.cols;
  for (std::int64_t line = 0; line < lines; ++line) {
    std::int64_t last = sparse_index(m.offsets, m.offset_type, line + 1) - m.base;
    for (std::int64_t p = sparse_index(m.offsets, m.offset_type, line) - m.base; p < last; ++p) {
      std::int64_t other = sparse_index(m.indices, m.index_type, p) - m.base;
      if (m.format == CUSPARSE_FORMAT_CSR) use(line, other, p);
      else use(other, line, p);
    }
  }
}

template <class Call>
cusparseStatus_t sparse_run(cusparseHandle_t h, cudaDataType type, std::initializer_list<cudaDataType> same, Call call) {
  if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;
  for (cudaDataType other : same)
    if (other != type) return CUSPARSE_STATUS_NOT_SUPPORTED;
  bool known = with_type(type, [&](auto zero) {
    submit(h->stream, cudaGraphNodeTypeKernel, [call, zero] { return call(zero), cudaSuccess; });
  });
  return known ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

// Scalars have the type of the computation; 16-bit data computes in float. One in host memory is read
// when the call is made, one in device memory when the work runs.
class SparseScalar {
 public:
  SparseScalar(cusparseHandle_t h, const void *value, cudaDataType compute) : compute_(compute) {
    if (h && h->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE) late_ = value;
    else with_type(compute, [&](auto zero) { std::memcpy(now_, value, sizeof zero); });
  }
  template <class T> Computed<T> as() const {
    Computed<T> out{};
    with_type(compute_, [&](auto value) {
      typedef decltype(value) S;
      std::memcpy(&value, late_ ? late_ : now_, sizeof value);
      if constexpr (std::is_same_v<Computed<S>, Computed<T>>) out = computed(value);
    });
    return out;
  }

 private:
  cudaDataType compute_;
  const void *late_ = nullptr;
  char now_[16] = {};
};
inline std::int64_t dense_place(const cusparseDnMatDescr &m, std::int64_t i, std::int64_t j, bool turned = false) {
  if (turned) std::swap(i, j);
  return m.order == CUSPARSE_ORDER_COL ? j * m.ld + i : i * m.ld + j;
}

}  // namespace cuda_emu

inline cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void *, cusparseConstSpMatDescr_t,
                                                cusparseConstDnVecDescr_t, const void *, cusparseDnVecDescr_t, cudaDataType,
                                                cusparseSpMVAlg_t, size_t *bytes) {
  return *bytes = 0, CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMV(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,
                                     cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType compute,
                                     cusparseSpMVAlg_t, void *) {
  bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE, conj = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  if (y->size != (turned ? a->cols : a->rows) || x->size != (turned ? a->rows : a->cols)) return CUSPARSE_STATUS_INVALID_VALUE;
  cusparseSpMatDescr m = *a;
  cusparseDnVecDescr in = *x, out = *y;
  const cuda_emu::SparseScalar scalar_a(h, alpha, compute), scalar_b(h, beta, compute);
  return cuda_emu::sparse_run(h, a->type, {x->type, y->type}, [=](auto zero) {
    typedef decltype(zero) T;
    typedef cuda_emu::Computed<T> V;
    using cuda_emu::computed;
    V ca = scalar_a.template as<T>(), cb = scalar_b.template as<T>();
    std::vector<V> sums(static_cast<size_t>(out.size));
    const T *values = static_cast<const T *>(m.values), *from = static_cast<const T *>(in.values);
    cuda_emu::each_entry(m, [&](std::int64_t i, std::int64_t j, std::int64_t p) {
      V v = computed(values[p]);
      sums[static_cast<size_t>(turned ? j : i)] += (conj ? cuda_emu::conjugate(v) : v) * computed(from[turned ? i : j]);
    });
    T *to = static_cast<T *>(out.values);
    for (std::int64_t i = 0; i < out.size; ++i)
      to[i] = cuda_emu::stored<T>(cb == V(0) ? ca * sums[static_cast<size_t>(i)] : ca * sums[static_cast<size_t>(i)] + cb * computed(to[i]));
  });
}
inline cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *,
                                                cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void *,
                                                cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, size_t *bytes) {
  return *bytes = 0, CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMM(cusparseHandle_t h, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,
                                     cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta,
                                     cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpMMAlg_t, void *) {
  if (op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE || op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE) return CUSPARSE_STATUS_NOT_SUPPORTED;
  bool ta = op_a == CUSPARSE_OPERATION_TRANSPOSE, tb = op_b == CUSPARSE_OPERATION_TRANSPOSE;
  if (c->rows != (ta ? a->cols : a->rows) || c->cols != (tb ? b->rows : b->cols)) return CUSPARSE_STATUS_INVALID_VALUE;
  cusparseSpMatDescr m = *a;
  cusparseDnMatDescr in = *b, out = *c;
  const cuda_emu::SparseScalar scalar_a(h, alpha, compute), scalar_b(h, beta, compute);
  return cuda_emu::sparse_run(h, a->type, {b->type, c->type}, [=](auto zero) {
    typedef decltype(zero) T;
    typedef cuda_emu::Computed<T> V;
    using cuda_emu::computed;
    V ca = scalar_a.template as<T>(), cb = scalar_b.template as<T>();
    std::vector<V> sums(static_cast<size_t>(out.rows * out.cols));
    const T *values = static_cast<const T *>(m.values), *from = static_cast<const T *>(in.values);
    cuda_emu::each_entry(m, [&](std::int64_t i, std::int64_t j, std::int64_t p) {
      if (ta) std::swap(i, j);
      for (std::int64_t n = 0; n < out.cols; ++n)
        sums[static_cast<size_t>(i * out.cols + n)] += computed(values[p]) * computed(from[cuda_emu::dense_place(in, j, n, tb)]);
    });
    T *to = static_cast<T *>(out.values);
    for (std::int64_t i = 0; i < out.rows; ++i)
      for (std::int64_t n = 0; n < out.cols; ++n) {
        T &at = to[cuda_emu::dense_place(out, i, n)];
        V sum = ca * sums[static_cast<size_t>(i * out.cols + n)];
        at = cuda_emu::stored<T>(cb == V(0) ? sum : sum + cb * computed(at));
      }
  });
}

// -- triangular solves -------------------------------------------------------------------------------
inline cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *d) { return *d = new cusparseSpSVDescr, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t d) { return delete d, CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void *, cusparseConstSpMatDescr_t,
                                                cusparseConstDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t,
                                                cusparseSpSVDescr_t, size_t *bytes) {
  return *bytes = 0, CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t, cusparseOperation_t, const void *, cusparseConstSpMatDescr_t,
                                              cusparseConstDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t,
                                              cusparseSpSVDescr_t, void *) {
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,
                                           cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType compute,
                                           cusparseSpSVAlg_t, cusparseSpSVDescr_t) {
  if (op != CUSPARSE_OPERATION_NON_TRANSPOSE || a->format != CUSPARSE_FORMAT_CSR) return CUSPARSE_STATUS_NOT_SUPPORTED;
  cusparseSpMatDescr m = *a;
  cusparseDnVecDescr in = *x, out = *y;
  const cuda_emu::SparseScalar scalar_a(h, alpha, compute);
  return cuda_emu::sparse_run(h, a->type, {x->type, y->type}, [=](auto zero) {
    typedef decltype(zero) T;
    typedef cuda_emu::Computed<T> V;
    using cuda_emu::computed;
    V ca = scalar_a.template as<T>();
    const T *values = static_cast<const T *>(m.values), *from = static_cast<const T *>(in.values);
    T *to = static_cast<T *>(out.values);
    bool lower = m.fill == CUSPARSE_FILL_MODE_LOWER;
    for (std::int64_t k = 0; k < m.rows; ++k) {
      std::int64_t i = lower ? k : m.rows - 1 - k;
      V sum = ca * computed(from[i]), diagonal = V(1);
      std::int64_t last = cuda_emu::sparse_index(m.offsets, m.offset_type, i + 1) - m.base;
      for (std::int64_t p = cuda_emu::sparse_index(m.offsets, m.offset_type, i) - m.base; p < last; ++p) {
        std::int64_t j = cuda_emu::sparse_index(m.indices, m.index_type, p) - m.base;
        if (j == i) diagonal = computed(values[p]);
        else if (lower ? j < i : j > i) sum -= computed(values[p]) * computed(to[j]);
      }
      to[i] = cuda_emu::stored<T>(m.diag == CUSPARSE_DIAG_TYPE_UNIT ? sum : sum / diagonal);
    }
  });
}

// -- conversions ---------------------------------------------------------------------------------------
inline cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t, const int *offsets, int, int rows, int *out, cusparseIndexBase_t base) {
  for (int i = 0; i < rows; ++i)
    for (int p = offsets[i] - base; p < offsets[i + 1] - base; ++p) out[p] = i + base;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t, const int *rows_in, int entries, int rows, int *out, cusparseIndexBase_t base) {
  for (int i = 0, p = 0; i <= rows; ++i) {
    while (p < entries && rows_in[p] - base < i) ++p;
    out[i] = p + base;
  }
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t, cusparseConstSpMatDescr_t, cusparseDnMatDescr_t,
                                                         cusparseSparseToDenseAlg_t, size_t *bytes) {
  return *bytes = 0, CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSparseToDense(cusparseHandle_t h, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                              cusparseSparseToDenseAlg_t, void *) {
  cusparseSpMatDescr m = *a;
  cusparseDnMatDescr out = *b;
  return cuda_emu::sparse_run(h, a->type, {b->type}, [=](auto zero) {
    typedef decltype(zero) T;
    T *to = static_cast<T *>(out.values);
    for (std::int64_t i = 0; i < out.rows; ++i)
      for (std::int64_t j = 0; j < out.cols; ++j) to[cuda_emu::dense_place(out, i, j)] = T{};
    cuda_emu::each_entry(m, [&](std::int64_t i, std::int64_t j, std::int64_t p) {
      to[cuda_emu::dense_place(out, i, j)] = static_cast<const T *>(m.values)[p];
    });
  });
}
inline cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t, cusparseConstDnMatDescr_t, cusparseSpMatDescr_t,
                                                         cusparseDenseToSparseAlg_t, size_t *bytes) {
  return *bytes = 0, CUSPARSE_STATUS_SUCCESS;
}
namespace cuda_emu {
// Row by row; `store` also writes indices and values.
template <class T>
std::int64_t dense_to_csr(const cusparseDnMatDescr &in, const cusparseSpMatDescr &m, bool store) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < in.rows; ++i) {
    put_index(m.offsets, m.offset_type, i, count + m.base);
    for (std::int64_t j = 0; j < in.cols; ++j) {
      T v = static_cast<const T *>(in.values)[dense_place(in, i, j)];
      if (computed(v) == Computed<T>(0)) continue;
      if (store) {
        put_index(m.indices, m.index_type, count, j + m.base);
        static_cast<T *>(m.values)[count] = v;
      }
      ++count;
    }
  }
  put_index(m.offsets, m.offset_type, in.rows, count + m.base);
  return count;
}
}  // namespace cuda_emu
// The number of entries is known after the analysis, so that it runs at once.
inline cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b,
                                                       cusparseDenseToSparseAlg_t, void *) {
  if (b->format != CUSPARSE_FORMAT_CSR) return CUSPARSE_STATUS_NOT_SUPPORTED;
  bool known = cuda_emu::with_type(a->type, [&](auto zero) { b->entries = cuda_emu::dense_to_csr<decltype(zero)>(*a, *b, false); });
  return known ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}
inline cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t h, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b,
                                                      cusparseDenseToSparseAlg_t, void *) {
  cusparseDnMatDescr in = *a;
  cusparseSpMatDescr m = *b;
  return cuda_emu::sparse_run(h, a->type, {b->type}, [=](auto zero) { cuda_emu::dense_to_csr<decltype(zero)>(in, m, true); });
}
