// Warp matrix operations: the shape of the API, without bodies.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
namespace precision {
struct tf32 {};
struct s4 {};
struct u4 {};
struct b1 {};
}  // namespace precision
enum layout_t { mem_row_major, mem_col_major };

template <class T> struct storage_element { typedef T type; };
template <> struct storage_element<precision::tf32> { typedef float type; };

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  enum { num_elements = (M * N) / 32, num_storage_elements = num_elements };
  typename storage_element<T>::type x[num_elements];
};

template <class F, class T> __device__ void load_matrix_sync(F&, const T*, unsigned int);
template <class F, class T> __device__ void load_matrix_sync(F&, const T*, unsigned int, layout_t);
template <class F, class T> __device__ void store_matrix_sync(T*, const F&, unsigned int, layout_t);
template <class F, class T> __device__ void fill_fragment(F&, const T&);
template <class D, class A, class B, class C>
__device__ void mma_sync(D&, const A&, const B&, const C&, bool satf = false);
__device__ float __float_to_tf32(float);

}  // namespace wmma
}  // namespace nvcuda
