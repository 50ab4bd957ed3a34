// Applies a function to each element.
#pragma once

#include "detail/config.h"

namespace thrust {

template <class It, class F>
THRUST_HD It for_each(It first, It last, F f) {
  for (; first != last; ++first) f(*first);
  return first;
}
template <class It, class Size, class F>
THRUST_HD It for_each_n(It first, Size n, F f) {
  for (Size i = 0; i < n; ++i, ++first) f(*first);
  return first;
}
THRUST_WITH_POLICY(for_each)
THRUST_WITH_POLICY(for_each_n)

}  // namespace thrust
