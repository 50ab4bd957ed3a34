// The values of an iterator with their places.
#pragma once

#include "../../thrust/detail/iterator_facade.h"
#include "../thread/thread_operators.cuh"

namespace cub {

template <class It, class Offset = std::ptrdiff_t,
          class Value = typename std::iterator_traits<It>::value_type>
class ArgIndexInputIterator
    : public thrust::detail::iterator_facade<ArgIndexInputIterator<It, Offset, Value>,
                                             KeyValuePair<Offset, Value>,
                                             KeyValuePair<Offset, Value>> {
 public:
  THRUST_HD ArgIndexInputIterator(It it, std::ptrdiff_t at = 0) : it_(it), at_(at) {}
  THRUST_HD KeyValuePair<Offset, Value> dereference() const {
    return KeyValuePair<Offset, Value>(static_cast<Offset>(at_), *(it_ + at_));
  }
  THRUST_HD void advance(std::ptrdiff_t n) { at_ += n; }
  THRUST_HD std::ptrdiff_t distance_to(const ArgIndexInputIterator &o) const { return o.at_ - at_; }

 private:
  It it_;
  std::ptrdiff_t at_;
};

}  // namespace cub
