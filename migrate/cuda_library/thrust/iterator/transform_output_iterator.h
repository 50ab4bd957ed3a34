// Writes through a function.
#pragma once

#include "../detail/iterator_facade.h"

namespace thrust {

namespace detail {
template <class F, class It>
struct transformed_place {
  F f;
  It it;
  template <class T>
  THRUST_HD transformed_place &operator=(const T &value) {
    *it = f(value);
    return *this;
  }
};
}  // namespace detail

template <class F, class It>
class transform_output_iterator
    : public detail::iterator_facade<transform_output_iterator<F, It>, detail::value_of<It>,
                                     detail::transformed_place<F, It>> {
 public:
  THRUST_HD transform_output_iterator(It it, F f) : it_(it), f_(f) {}
  THRUST_HD detail::transformed_place<F, It> dereference() const {
    return detail::transformed_place<F, It>{f_, it_};
  }
  THRUST_HD void advance(std::ptrdiff_t n) { it_ += n; }
  THRUST_HD std::ptrdiff_t distance_to(const transform_output_iterator &o) const {
    return o.it_ - it_;
  }

 private:
  It it_;
  F f_;
};
template <class F, class It>
THRUST_HD transform_output_iterator<F, It> make_transform_output_iterator(It it, F f) {
  return transform_output_iterator<F, It>(it, f);
}

}  // namespace thrust
