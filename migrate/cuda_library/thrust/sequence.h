// Values in equal steps.
#pragma once

#include "detail/config.h"

namespace thrust {

template <class It, class T>
THRUST_HD void sequence(It first, It last, T start, T step) {
  for (detail::difference_of<It> i = 0; first != last; ++first, ++i)
    *first = start + static_cast<T>(i) * step;
}
template <class It, class T>
THRUST_HD void sequence(It first, It last, T start) { thrust::sequence(first, last, start, T(1)); }
template <class It>
THRUST_HD void sequence(It first, It last) {
  thrust::sequence(first, last, detail::value_of<It>(0), detail::value_of<It>(1));
}
THRUST_WITH_POLICY(sequence)

}  // namespace thrust
