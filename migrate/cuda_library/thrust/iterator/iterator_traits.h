// Types of iterators by name.
#pragma once

#include <iterator>

#include "../detail/config.h"

namespace thrust {

template <class It>
using iterator_traits = std::iterator_traits<It>;
template <class It>
struct iterator_value { typedef detail::value_of<It> type; };
template <class It>
struct iterator_reference { typedef typename std::iterator_traits<It>::reference type; };
template <class It>
struct iterator_difference { typedef detail::difference_of<It> type; };
template <class It>
struct iterator_pointer { typedef typename std::iterator_traits<It>::pointer type; };
template <class It>
using iterator_value_t = detail::value_of<It>;

}  // namespace thrust
