// Steps between iterators.
#pragma once

#include "detail/config.h"

namespace thrust {

template <class It>
THRUST_HD detail::difference_of<It> distance(It first, It last) { return last - first; }
template <class It, class N>
THRUST_HD void advance(It &it, N n) { it += n; }
template <class It>
THRUST_HD It next(It it, detail::difference_of<It> n = 1) { return it + n; }
template <class It>
THRUST_HD It prev(It it, detail::difference_of<It> n = 1) { return it - n; }

}  // namespace thrust
