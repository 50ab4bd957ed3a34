// A place where anything can be written and nothing is kept.
#pragma once

#include "../../thrust/iterator/discard_iterator.h"

namespace cub {

template <class Offset = std::ptrdiff_t>
using DiscardOutputIterator = thrust::discard_iterator<>;

}  // namespace cub
