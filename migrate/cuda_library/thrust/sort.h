// Sorts; all of them keep the order of equal elements.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>
#include "functional.h"

namespace thrust {

template <class It, class Less>
THRUST_HD void stable_sort(It first, It last, Less less) {
  std::vector<detail::stored_of<It>> held(first, last);
  std::stable_sort(held.begin(), held.end(), less);
  std::copy(held.begin(), held.end(), first);
}
template <class It>
THRUST_HD void stable_sort(It first, It last) { thrust::stable_sort(first, last, thrust::less<>()); }
template <class It, class Less>
THRUST_HD void sort(It first, It last, Less less) { thrust::stable_sort(first, last, less); }
template <class It>
THRUST_HD void sort(It first, It last) { thrust::stable_sort(first, last, thrust::less<>()); }

template <class K, class V, class Less>
THRUST_HD void stable_sort_by_key(K first, K last, V values, Less less) {
  const std::vector<detail::stored_of<K>> keys(first, last);
  const std::vector<detail::stored_of<V>> held(values, values + (last - first));
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return less(keys[a], keys[b]); });
  for (std::size_t from : order) {
    *first = keys[from];
    *values = held[from];
    ++first;
    ++values;
  }
}
template <class K, class V>
THRUST_HD void stable_sort_by_key(K first, K last, V values) {
  thrust::stable_sort_by_key(first, last, values, thrust::less<>());
}
template <class K, class V, class Less>
THRUST_HD void sort_by_key(K first, K last, V values, Less less) {
  thrust::stable_sort_by_key(first, last, values, less);
}
template <class K, class V>
THRUST_HD void sort_by_key(K first, K last, V values) {
  thrust::stable_sort_by_key(first, last, values, thrust::less<>());
}
template <class It, class Less>
THRUST_HD It is_sorted_until(It first, It last, Less less) {
  if (first == last) return last;
  for (It next = first; ++next != last; ++first)
    if (less(*next, *first)) return next;
  return last;
}
template <class It>
THRUST_HD It is_sorted_until(It first, It last) {
  return thrust::is_sorted_until(first, last, thrust::less<>());
}
template <class It, class Less>
THRUST_HD bool is_sorted(It first, It last, Less less) {
  return thrust::is_sorted_until(first, last, less) == last;
}
template <class It>
THRUST_HD bool is_sorted(It first, It last) { return thrust::is_sorted_until(first, last) == last; }
THRUST_WITH_POLICY(sort)
THRUST_WITH_POLICY(stable_sort)
THRUST_WITH_POLICY(sort_by_key)
THRUST_WITH_POLICY(stable_sort_by_key)
THRUST_WITH_POLICY(is_sorted)
THRUST_WITH_POLICY(is_sorted_until)

}  // namespace thrust
