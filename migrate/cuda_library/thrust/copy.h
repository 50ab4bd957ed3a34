// Copies elements, all or those that are chosen.
#pragma once

#include "detail/config.h"

namespace thrust {

template <class In, class Out>
THRUST_HD Out copy(In first, In last, Out out) {
  for (; first != last; ++first, ++out) *out = *first;
  return out;
}
template <class In, class Size, class Out>
THRUST_HD Out copy_n(In first, Size n, Out out) {
  for (Size i = 0; i < n; ++i, ++first, ++out) *out = *first;
  return out;
}
// Both ranges have a policy of their own when memory spaces differ.
template <class P, class Q, class In, class Out, detail::if_policy<P> = 0,
          detail::if_policy<Q> = 0>
THRUST_HD Out copy(const P &, const Q &, In first, In last, Out out) {
  return thrust::copy(first, last, out);
}
template <class In, class Out, class Choose>
THRUST_HD Out copy_if(In first, In last, Out out, Choose choose) {
  for (; first != last; ++first) {
    if (choose(*first)) {
      *out = *first;
      ++out;
    }
  }
  return out;
}
template <class In, class Stencil, class Out, class Choose>
THRUST_HD Out copy_if(In first, In last, Stencil stencil, Out out, Choose choose) {
  for (; first != last; ++first, ++stencil) {
    if (choose(*stencil)) {
      *out = *first;
      ++out;
    }
  }
  return out;
}
template <class In, class Out>
THRUST_HD Out uninitialized_copy(In first, In last, Out out) { return thrust::copy(first, last, out); }
template <class In, class Size, class Out>
THRUST_HD Out uninitialized_copy_n(In first, Size n, Out out) { return thrust::copy_n(first, n, out); }
template <class A, class B>
THRUST_HD B swap_ranges(A first, A last, B other) {
  for (; first != last; ++first, ++other) {
    const detail::value_of<A> held = *first;
    *first = *other;
    *other = held;
  }
  return other;
}
template <class It>
THRUST_HD void reverse(It first, It last) {
  while (last - first > 1) {
    --last;
    const detail::value_of<It> held = *first;
    *first = *last;
    *last = held;
    ++first;
  }
}
template <class In, class Out>
THRUST_HD Out reverse_copy(In first, In last, Out out) {
  while (first != last) {
    --last;
    *out = *last;
    ++out;
  }
  return out;
}
THRUST_WITH_POLICY(copy)
THRUST_WITH_POLICY(copy_n)
THRUST_WITH_POLICY(copy_if)
THRUST_WITH_POLICY(uninitialized_copy)
THRUST_WITH_POLICY(uninitialized_copy_n)
THRUST_WITH_POLICY(swap_ranges)
THRUST_WITH_POLICY(reverse)
THRUST_WITH_POLICY(reverse_copy)

}  // namespace thrust
