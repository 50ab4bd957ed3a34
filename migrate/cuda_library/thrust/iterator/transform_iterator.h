// The values of an iterator with a function applied.
#pragma once

#include "../detail/iterator_facade.h"

namespace thrust {

namespace detail {
struct use_default {};
template <class F, class It>
using applied = decltype(std::declval<F &>()(*std::declval<const It &>()));
template <class Given, class Otherwise>
using given_or = typename std::conditional<std::is_same<Given, use_default>::value, Otherwise,
                                           Given>::type;
}  // namespace detail
using detail::use_default;

template <class F, class It, class Reference = use_default, class Value = use_default>
class transform_iterator
    : public detail::iterator_facade<
          transform_iterator<F, It, Reference, Value>,
          detail::given_or<Value, typename std::decay<detail::given_or<
                                      Reference, detail::applied<F, It>>>::type>,
          detail::given_or<Reference, detail::applied<F, It>>> {
 public:
  THRUST_HD transform_iterator() = default;
  THRUST_HD explicit transform_iterator(It it, F f = F()) : it_(it), f_(f) {}
  THRUST_HD detail::given_or<Reference, detail::applied<F, It>> dereference() const {
    F f = f_;
    return f(*it_);
  }
  THRUST_HD void advance(std::ptrdiff_t n) { it_ += n; }
  THRUST_HD std::ptrdiff_t distance_to(const transform_iterator &o) const { return o.it_ - it_; }
  THRUST_HD const It &base() const { return it_; }
  THRUST_HD F functor() const { return f_; }

 private:
  It it_;
  F f_;
};
template <class F, class It>
THRUST_HD transform_iterator<F, It> make_transform_iterator(It it, F f) {
  return transform_iterator<F, It>(it, f);
}
template <class F, class It>
THRUST_HD transform_iterator<F, It> make_transform_iterator(It it) {
  return transform_iterator<F, It>(it, F());
}

}  // namespace thrust
