// What device-wide algorithms share: the protocol of temporary storage, and types of elements.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <vector>
#include "../../thrust/iterator/discard_iterator.h"
#include "../thread/thread_operators.cuh"
#include "../util_type.cuh"

namespace cub {

namespace detail {

// The first call asks for the size of the temporary storage, which nothing here needs. True when the
// work is to be done.
inline bool has_storage(void *storage, std::size_t &bytes) {
  if (storage) return true;
  bytes = 1;
  return false;
}

template <class It>
using value_of = typename std::iterator_traits<It>::value_type;
// Outputs may be places that discard what they get.
template <class Out, class Otherwise>
using output_or = typename std::conditional<
    std::is_same<value_of<Out>, thrust::detail::any_assign>::value ||
        std::is_void<value_of<Out>>::value,
    Otherwise, value_of<Out>>::type;

}  // namespace detail

}  // namespace cub
