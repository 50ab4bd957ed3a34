// A place where anything can be written and nothing is kept.
#pragma once

#include "../detail/iterator_facade.h"

namespace thrust {

namespace detail {
struct any_assign {
  template <class T>
  THRUST_HD const any_assign &operator=(const T &) const { return *this; }
};
}  // namespace detail

template <class System = void>
class discard_iterator
    : public detail::iterator_facade<discard_iterator<System>, detail::any_assign,
                                     detail::any_assign> {
 public:
  THRUST_HD explicit discard_iterator(std::ptrdiff_t at = 0) : at_(at) {}
  THRUST_HD detail::any_assign dereference() const { return detail::any_assign(); }
  THRUST_HD void advance(std::ptrdiff_t n) { at_ += n; }
  THRUST_HD std::ptrdiff_t distance_to(const discard_iterator &o) const { return o.at_ - at_; }

 private:
  std::ptrdiff_t at_;
};
THRUST_HD inline discard_iterator<> make_discard_iterator(std::ptrdiff_t at = 0) {
  return discard_iterator<>(at);
}

}  // namespace thrust
