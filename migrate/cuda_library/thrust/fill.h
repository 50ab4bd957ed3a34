// Assigns one value.
#pragma once

#include "detail/config.h"

namespace thrust {

template <class It, class T>
THRUST_HD void fill(It first, It last, const T &value) {
  for (; first != last; ++first) *first = value;
}
template <class It, class Size, class T>
THRUST_HD It fill_n(It first, Size n, const T &value) {
  for (Size i = 0; i < n; ++i, ++first) *first = value;
  return first;
}
THRUST_WITH_POLICY(fill)
THRUST_WITH_POLICY(fill_n)

template <class It, class T>
THRUST_HD void uninitialized_fill(It first, It last, const T &value) { thrust::fill(first, last, value); }
template <class It, class Size, class T>
THRUST_HD It uninitialized_fill_n(It first, Size n, const T &value) {
  return thrust::fill_n(first, n, value);
}
THRUST_WITH_POLICY(uninitialized_fill)
THRUST_WITH_POLICY(uninitialized_fill_n)

}  // namespace thrust
