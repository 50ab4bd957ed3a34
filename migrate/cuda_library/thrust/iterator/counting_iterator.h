// Numbers that follow each other.
#pragma once

#include "../detail/iterator_facade.h"

namespace thrust {

template <class T, class System = void, class Traversal = void, class Difference = void>
class counting_iterator
    : public detail::iterator_facade<counting_iterator<T, System, Traversal, Difference>, T, T> {
 public:
  THRUST_HD counting_iterator() : value_() {}
  THRUST_HD explicit counting_iterator(T value) : value_(value) {}
  THRUST_HD T dereference() const { return value_; }
  THRUST_HD void advance(std::ptrdiff_t n) { value_ = static_cast<T>(value_ + static_cast<T>(n)); }
  THRUST_HD std::ptrdiff_t distance_to(const counting_iterator &o) const {
    return static_cast<std::ptrdiff_t>(o.value_) - static_cast<std::ptrdiff_t>(value_);
  }

 private:
  T value_;
};
template <class T>
THRUST_HD counting_iterator<T> make_counting_iterator(T value) {
  return counting_iterator<T>(value);
}

}  // namespace thrust
