// Values from their places.
#pragma once

#include "detail/config.h"

namespace thrust {

template <class It, class F>
THRUST_HD void tabulate(It first, It last, F f) {
  for (detail::difference_of<It> i = 0; first != last; ++first, ++i) *first = f(i);
}
THRUST_WITH_POLICY(tabulate)

}  // namespace thrust
