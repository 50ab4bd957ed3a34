// Reads and writes with a cache hint, which a CPU has no use for.
#pragma once

#include "../../thrust/detail/iterator_facade.h"

namespace cub {

enum CacheLoadModifier {
  LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE
};
enum CacheStoreModifier {
  STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE
};
template <CacheLoadModifier Modifier, class T>
__device__ __forceinline__ T ThreadLoad(T *p) { return *p; }
template <CacheStoreModifier Modifier, class T>
__device__ __forceinline__ void ThreadStore(T *p, T value) { *p = value; }

template <CacheLoadModifier Modifier, class T, class Offset = std::ptrdiff_t>
class CacheModifiedInputIterator
    : public thrust::detail::iterator_facade<CacheModifiedInputIterator<Modifier, T, Offset>, T,
                                             T> {
 public:
  template <class U>
  THRUST_HD CacheModifiedInputIterator(U *p) : p_(p) {}
  THRUST_HD T dereference() const { return *p_; }
  THRUST_HD void advance(std::ptrdiff_t n) { p_ += n; }
  THRUST_HD std::ptrdiff_t distance_to(const CacheModifiedInputIterator &o) const {
    return o.p_ - p_;
  }

 private:
  const T *p_;
};
template <CacheStoreModifier Modifier, class T, class Offset = std::ptrdiff_t>
using CacheModifiedOutputIterator = T *;

}  // namespace cub
