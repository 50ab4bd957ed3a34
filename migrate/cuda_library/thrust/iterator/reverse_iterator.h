// The standard library's.
#pragma once

#include <iterator>

#include "../detail/config.h"

namespace thrust {

template <class It>
using reverse_iterator = std::reverse_iterator<It>;
template <class It>
THRUST_HD std::reverse_iterator<It> make_reverse_iterator(It it) {
  return std::reverse_iterator<It>(it);
}

}  // namespace thrust
