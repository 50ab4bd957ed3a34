// Places in sorted ranges, of one value or of many.
#pragma once

#include "functional.h"

namespace thrust {

template <class It, class T, class Less>
THRUST_HD It lower_bound(It first, It last, const T &value, Less less) {
  for (auto n = last - first; n > 0;) {
    const auto half = n / 2;
    if (less(*(first + half), value)) {
      first = first + half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first;
}
template <class It, class T>
THRUST_HD It lower_bound(It first, It last, const T &value) {
  return thrust::lower_bound(first, last, value, thrust::less<>());
}
template <class It, class T, class Less>
THRUST_HD It upper_bound(It first, It last, const T &value, Less less) {
  for (auto n = last - first; n > 0;) {
    const auto half = n / 2;
    if (!less(value, *(first + half))) {
      first = first + half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first;
}
template <class It, class T>
THRUST_HD It upper_bound(It first, It last, const T &value) {
  return thrust::upper_bound(first, last, value, thrust::less<>());
}
template <class It, class T, class Less>
THRUST_HD bool binary_search(It first, It last, const T &value, Less less) {
  const It at = thrust::lower_bound(first, last, value, less);
  return at != last && !less(value, *at);
}
template <class It, class T>
THRUST_HD bool binary_search(It first, It last, const T &value) {
  return thrust::binary_search(first, last, value, thrust::less<>());
}
template <class It, class T>
THRUST_HD std::pair<It, It> equal_range(It first, It last, const T &value) {
  return std::pair<It, It>(lower_bound(first, last, value), upper_bound(first, last, value));
}

template <class It, class V, class Out, class Less>
THRUST_HD Out lower_bound(It first, It last, V values, V values_last, Out out, Less less) {
  for (; values != values_last; ++values, ++out)
    *out = thrust::lower_bound(first, last, detail::value_of<V>(*values), less) - first;
  return out;
}
template <class It, class V, class Out>
THRUST_HD Out lower_bound(It first, It last, V values, V values_last, Out out) {
  return thrust::lower_bound(first, last, values, values_last, out, thrust::less<>());
}
template <class It, class V, class Out, class Less>
THRUST_HD Out upper_bound(It first, It last, V values, V values_last, Out out, Less less) {
  for (; values != values_last; ++values, ++out)
    *out = thrust::upper_bound(first, last, detail::value_of<V>(*values), less) - first;
  return out;
}
template <class It, class V, class Out>
THRUST_HD Out upper_bound(It first, It last, V values, V values_last, Out out) {
  return thrust::upper_bound(first, last, values, values_last, out, thrust::less<>());
}
template <class It, class V, class Out, class Less>
THRUST_HD Out binary_search(It first, It last, V values, V values_last, Out out, Less less) {
  for (; values != values_last; ++values, ++out)
    *out = thrust::binary_search(first, last, detail::value_of<V>(*values), less);
  return out;
}
template <class It, class V, class Out>
THRUST_HD Out binary_search(It first, It last, V values, V values_last, Out out) {
  return thrust::binary_search(first, last, values, values_last, out, thrust::less<>());
}
THRUST_WITH_POLICY(lower_bound)
THRUST_WITH_POLICY(upper_bound)
THRUST_WITH_POLICY(binary_search)
THRUST_WITH_POLICY(equal_range)

}  // namespace thrust
