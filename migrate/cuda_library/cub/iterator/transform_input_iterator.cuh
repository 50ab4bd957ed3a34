// The values of an iterator with a function applied.
#pragma once

#include "../../thrust/detail/iterator_facade.h"

namespace cub {

template <class Value, class Op, class It, class Offset = std::ptrdiff_t>
class TransformInputIterator
    : public thrust::detail::iterator_facade<TransformInputIterator<Value, Op, It, Offset>, Value,
                                             Value> {
 public:
  THRUST_HD TransformInputIterator(It it, Op op) : it_(it), op_(op) {}
  THRUST_HD Value dereference() const {
    Op op = op_;
    return op(*it_);
  }
  THRUST_HD void advance(std::ptrdiff_t n) { it_ += n; }
  THRUST_HD std::ptrdiff_t distance_to(const TransformInputIterator &o) const {
    return o.it_ - it_;
  }

 private:
  It it_;
  Op op_;
};

}  // namespace cub
