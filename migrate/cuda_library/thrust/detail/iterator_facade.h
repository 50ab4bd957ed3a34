// The operators of a random access iterator, from `dereference`, `advance` and `distance_to`.
#pragma once

#include "config.h"

namespace thrust {
namespace detail {

template <class Reference>
struct arrow_proxy {
  Reference held;
  THRUST_HD auto operator->() { return &held; }
};

template <class Derived, class Value, class Reference>
class iterator_facade {
 public:
  typedef Value value_type;
  typedef Reference reference;
  typedef std::ptrdiff_t difference_type;
  typedef typename std::remove_reference<Reference>::type *pointer;
  typedef std::random_access_iterator_tag iterator_category;

  THRUST_HD Reference operator*() const { return self().dereference(); }
  THRUST_HD auto operator->() const {
    if constexpr (std::is_reference<Reference>::value) return &self().dereference();
    else return arrow_proxy<Reference>{self().dereference()};
  }
  THRUST_HD Reference operator[](difference_type n) const { return *(self() + n); }
  THRUST_HD Derived &operator++() { return *this += 1; }
  THRUST_HD Derived &operator--() { return *this += -1; }
  THRUST_HD Derived operator++(int) {
    Derived before = self();
    *this += 1;
    return before;
  }
  THRUST_HD Derived operator--(int) {
    Derived before = self();
    *this += -1;
    return before;
  }
  THRUST_HD Derived &operator+=(difference_type n) {
    static_cast<Derived *>(this)->advance(n);
    return *static_cast<Derived *>(this);
  }
  THRUST_HD Derived &operator-=(difference_type n) { return *this += -n; }
  THRUST_HD friend Derived operator+(Derived a, difference_type n) { return a += n; }
  THRUST_HD friend Derived operator+(difference_type n, Derived a) { return a += n; }
  THRUST_HD friend Derived operator-(Derived a, difference_type n) { return a += -n; }
  THRUST_HD friend difference_type operator-(const Derived &a, const Derived &b) {
    return b.distance_to(a);
  }
  THRUST_HD friend bool operator==(const Derived &a, const Derived &b) {
    return b.distance_to(a) == 0;
  }
  THRUST_HD friend bool operator!=(const Derived &a, const Derived &b) { return !(a == b); }
  THRUST_HD friend bool operator<(const Derived &a, const Derived &b) {
    return b.distance_to(a) < 0;
  }
  THRUST_HD friend bool operator>(const Derived &a, const Derived &b) { return b < a; }
  THRUST_HD friend bool operator<=(const Derived &a, const Derived &b) { return !(b < a); }
  THRUST_HD friend bool operator>=(const Derived &a, const Derived &b) { return !(a < b); }

 private:
  THRUST_HD const Derived &self() const { return *static_cast<const Derived *>(this); }
};

}  // namespace detail
}  // namespace thrust
