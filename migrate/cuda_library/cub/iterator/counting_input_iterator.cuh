// Numbers that follow each other.
#pragma once

#include "../../thrust/detail/iterator_facade.h"

namespace cub {

template <class T, class Offset = std::ptrdiff_t>
class CountingInputIterator
    : public thrust::detail::iterator_facade<CountingInputIterator<T, Offset>, T, T> {
 public:
  THRUST_HD CountingInputIterator(T value = T()) : value_(value) {}
  THRUST_HD T dereference() const { return value_; }
  THRUST_HD void advance(std::ptrdiff_t n) { value_ = static_cast<T>(value_ + static_cast<T>(n)); }
  THRUST_HD std::ptrdiff_t distance_to(const CountingInputIterator &o) const {
    return static_cast<std::ptrdiff_t>(o.value_) - static_cast<std::ptrdiff_t>(value_);
  }

 private:
  T value_;
};

}  // namespace cub
