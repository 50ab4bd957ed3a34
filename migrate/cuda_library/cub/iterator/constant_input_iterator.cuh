// One value again and again.
#pragma once

#include "../../thrust/detail/iterator_facade.h"

namespace cub {

template <class T, class Offset = std::ptrdiff_t>
class ConstantInputIterator
    : public thrust::detail::iterator_facade<ConstantInputIterator<T, Offset>, T, T> {
 public:
  THRUST_HD ConstantInputIterator(T value, Offset at = 0) : value_(value), at_(at) {}
  THRUST_HD T dereference() const { return value_; }
  THRUST_HD void advance(std::ptrdiff_t n) { at_ += n; }
  THRUST_HD std::ptrdiff_t distance_to(const ConstantInputIterator &o) const { return o.at_ - at_; }

 private:
  T value_;
  std::ptrdiff_t at_;
};

}  // namespace cub
