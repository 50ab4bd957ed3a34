// Smallest and largest elements; of equal ones the first.
#pragma once

#include "functional.h"

namespace thrust {

template <class It, class Less>
THRUST_HD It min_element(It first, It last, Less less) {
  It best = first;
  for (; first != last; ++first)
    if (less(*first, *best)) best = first;
  return best;
}
template <class It>
THRUST_HD It min_element(It first, It last) { return thrust::min_element(first, last, thrust::less<>()); }
template <class It, class Less>
THRUST_HD It max_element(It first, It last, Less less) {
  It best = first;
  for (; first != last; ++first)
    if (less(*best, *first)) best = first;
  return best;
}
template <class It>
THRUST_HD It max_element(It first, It last) { return thrust::max_element(first, last, thrust::less<>()); }
template <class It, class Less>
THRUST_HD std::pair<It, It> minmax_element(It first, It last, Less less) {
  return std::pair<It, It>(min_element(first, last, less), max_element(first, last, less));
}
template <class It>
THRUST_HD std::pair<It, It> minmax_element(It first, It last) {
  return thrust::minmax_element(first, last, thrust::less<>());
}
template <class T>
THRUST_HD T min(const T &a, const T &b) { return b < a ? b : a; }
template <class T>
THRUST_HD T max(const T &a, const T &b) { return a < b ? b : a; }
template <class T, class Less>
THRUST_HD T min(const T &a, const T &b, Less less) { return less(b, a) ? b : a; }
template <class T, class Less>
THRUST_HD T max(const T &a, const T &b, Less less) { return less(a, b) ? b : a; }
THRUST_WITH_POLICY(min_element)
THRUST_WITH_POLICY(max_element)
THRUST_WITH_POLICY(minmax_element)

}  // namespace thrust
