// Values from a function without arguments.
#pragma once

#include "detail/config.h"

namespace thrust {

template <class It, class F>
THRUST_HD void generate(It first, It last, F f) {
  for (; first != last; ++first) *first = f();
}
template <class It, class Size, class F>
THRUST_HD It generate_n(It first, Size n, F f) {
  for (Size i = 0; i < n; ++i, ++first) *first = f();
  return first;
}
THRUST_WITH_POLICY(generate)
THRUST_WITH_POLICY(generate_n)

}  // namespace thrust
