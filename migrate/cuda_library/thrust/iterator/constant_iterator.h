// One value again and again.
#pragma once

#include "../detail/iterator_facade.h"

namespace thrust {

template <class T, class Incrementable = std::ptrdiff_t, class System = void>
class constant_iterator
    : public detail::iterator_facade<constant_iterator<T, Incrementable, System>, T, T> {
 public:
  THRUST_HD constant_iterator() : value_(), at_(0) {}
  THRUST_HD explicit constant_iterator(const T &value, std::ptrdiff_t at = 0)
      : value_(value), at_(at) {}
  THRUST_HD T value() const { return value_; }
  THRUST_HD T dereference() const { return value_; }
  THRUST_HD void advance(std::ptrdiff_t n) { at_ += n; }
  THRUST_HD std::ptrdiff_t distance_to(const constant_iterator &o) const { return o.at_ - at_; }

 private:
  T value_;
  std::ptrdiff_t at_;
};
template <class T>
THRUST_HD constant_iterator<T> make_constant_iterator(const T &value, std::ptrdiff_t at = 0) {
  return constant_iterator<T>(value, at);
}

}  // namespace thrust
