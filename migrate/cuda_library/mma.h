// Warp matrix operations, by redundancy: every lane holds the whole tile and computes all of it. CUDA
// leaves open which lane holds which elements (CUDA C++ Programming Guide, "Warp Matrix Functions"), so
// that what a program may rely on holds: element-wise loops over a fragment are right as they stand;
// only `num_elements` is larger.
#pragma once

#include <type_traits>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision
namespace experimental {
namespace precision {  // fragments of these are declared, not computed with
struct s4 {};
struct u4 {};
struct b1 {};
}  // namespace precision
}  // namespace experimental

namespace detail {
template <class Use, int M, int N, int K> struct Shape { enum { rows = M, columns = N }; };
template <int M, int N, int K> struct Shape<matrix_a, M, N, K> { enum { rows = M, columns = K }; };
template <int M, int N, int K> struct Shape<matrix_b, M, N, K> { enum { rows = K, columns = N }; };
template <class T> struct Storage { typedef T type; };
template <> struct Storage<precision::tf32> { typedef float type; };
template <> struct Storage<experimental::precision::s4> { typedef int type; };
template <> struct Storage<experimental::precision::u4> { typedef unsigned int type; };
template <> struct Storage<experimental::precision::b1> { typedef unsigned int type; };
template <class T> struct IsColumns { static constexpr bool value = false; };
template <> struct IsColumns<col_major> { static constexpr bool value = true; };
}  // namespace detail

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  typedef typename detail::Storage<T>::type storage_element_type;
  typedef storage_element_type element_type;
  enum {
    rows = detail::Shape<Use, M, N, K>::rows,
    columns = detail::Shape<Use, M, N, K>::columns,
    num_elements = rows * columns,
    num_storage_elements = num_elements
  };
  storage_element_type x[num_elements];  // row by row
};

template <class Use, int M, int N, int K, class T, class Layout, class V>
__device__ inline void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const V &value) {
  for (int i = 0; i < fragment<Use, M, N, K, T, Layout>::num_elements; ++i)
    f.x[i] = static_cast<typename detail::Storage<T>::type>(value);
}

namespace detail {
template <class Fragment, class V>
__device__ inline void load(Fragment &f, const V *from, unsigned stride, bool columns) {
  for (int r = 0; r < Fragment::rows; ++r)
    for (int c = 0; c < Fragment::columns; ++c)
      f.x[r * Fragment::columns + c] = from[columns ? c * stride + r : r * stride + c];
}
}  // namespace detail

// Every lane reads before any lane goes on to write: the warp meets afterwards.
template <class Use, int M, int N, int K, class T, class Layout, class V>
__device__ inline void load_matrix_sync(fragment<Use, M, N, K, T, Layout> &f, const V *from,
                                        unsigned stride) {
  detail::load(f, from, stride, detail::IsColumns<Layout>::value);
  __syncwarp();
}
template <int M, int N, int K, class T, class V>
__device__ inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const V *from,
                                        unsigned stride, layout_t layout) {
  detail::load(f, from, stride, layout == mem_col_major);
  __syncwarp();
}
template <int M, int N, int K, class T, class V>
__device__ inline void store_matrix_sync(V *to, const fragment<accumulator, M, N, K, T> &f,
                                         unsigned stride, layout_t layout) {
  __syncwarp();
  for (int r = 0; r < M; ++r)
    for (int c = 0; c < N; ++c)
      to[layout == mem_col_major ? c * stride + r : r * stride + c] = f.x[r * N + c];
  __syncwarp();
}

// Products are exact in float for half and bfloat16; sums are in the accumulator's type, in the
// order of k. A tensor core's own order and intermediate width are not specified.
template <int M, int N, int K, class A, class LA, class B, class LB, class C, class D>
__device__ inline void mma_sync(fragment<accumulator, M, N, K, D> &d,
                                const fragment<matrix_a, M, N, K, A, LA> &a,
                                const fragment<matrix_b, M, N, K, B, LB> &b,
                                const fragment<accumulator, M, N, K, C> &c, bool satf = false) {
  typedef std::conditional_t<std::is_integral_v<C>, long long,
                             std::conditional_t<std::is_same_v<C, double>, double, float>> Wide;
  for (int r = 0; r < M; ++r)
    for (int q = 0; q < N; ++q) {
      Wide sum = static_cast<Wide>(c.x[r * N + q]);
      for (int k = 0; k < K; ++k)
        sum += static_cast<Wide>(a.x[r * K + k]) * static_cast<Wide>(b.x[k * N + q]);
      if constexpr (std::is_integral_v<C>)
        if (satf) sum = sum > 2147483647ll ? 2147483647ll : sum < -2147483648ll ? -2147483648ll : sum;
      d.x[r * N + q] = static_cast<D>(sum);
    }
}

__device__ inline float __float_to_tf32(float value) {
  unsigned int bits = __float_as_uint(value);
  if ((bits & 0x7F800000u) == 0x7F800000u) return value;
  return __uint_as_float((bits + 0x1000u) & ~0x1FFFu);  // to nearest, ties away from zero
}

}  // namespace wmma
}  // namespace nvcuda
