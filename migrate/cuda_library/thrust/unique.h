// Keeps the first of each run of equal elements.
#pragma once

#include "detail/config.h"
#include "functional.h"

namespace thrust {

template <class In, class Out, class Equal>
THRUST_HD Out unique_copy(In first, In last, Out out, Equal equal) {
  if (first == last) return out;
  detail::value_of<In> before = *first;
  *out = before;
  ++out;
  for (++first; first != last; ++first) {
    const detail::value_of<In> current = *first;
    if (!equal(before, current)) {
      *out = current;
      ++out;
    }
    before = current;
  }
  return out;
}
template <class In, class Out>
THRUST_HD Out unique_copy(In first, In last, Out out) {
  return thrust::unique_copy(first, last, out, equal_to<>());
}
template <class It, class Equal>
THRUST_HD It unique(It first, It last, Equal equal) {
  return thrust::unique_copy(first, last, first, equal);
}
template <class It>
THRUST_HD It unique(It first, It last) { return thrust::unique_copy(first, last, first, equal_to<>()); }
template <class It, class Equal>
THRUST_HD detail::difference_of<It> unique_count(It first, It last, Equal equal) {
  detail::difference_of<It> count = first == last ? 0 : 1;
  if (first != last)
    for (It next = first; ++next != last; ++first) count += !equal(*first, *next);
  return count;
}
template <class It>
THRUST_HD detail::difference_of<It> unique_count(It first, It last) {
  return thrust::unique_count(first, last, equal_to<>());
}
template <class K, class V, class KOut, class VOut, class Equal>
THRUST_HD std::pair<KOut, VOut> unique_by_key_copy(K first, K last, V values, KOut keys_out,
                                                   VOut values_out, Equal equal) {
  while (first != last) {
    const detail::value_of<K> key = *first;
    detail::value_of<K> before = key;
    *keys_out = key;
    *values_out = *values;
    ++keys_out;
    ++values_out;
    for (++first, ++values; first != last && equal(before, *first); ++first, ++values)
      before = *first;
  }
  return std::pair<KOut, VOut>(keys_out, values_out);
}
template <class K, class V, class KOut, class VOut>
THRUST_HD std::pair<KOut, VOut> unique_by_key_copy(K first, K last, V values, KOut keys_out,
                                                   VOut values_out) {
  return thrust::unique_by_key_copy(first, last, values, keys_out, values_out, equal_to<>());
}
template <class K, class V, class Equal>
THRUST_HD std::pair<K, V> unique_by_key(K first, K last, V values, Equal equal) {
  return thrust::unique_by_key_copy(first, last, values, first, values, equal);
}
template <class K, class V>
THRUST_HD std::pair<K, V> unique_by_key(K first, K last, V values) {
  return thrust::unique_by_key_copy(first, last, values, first, values, equal_to<>());
}
THRUST_WITH_POLICY(unique)
THRUST_WITH_POLICY(unique_copy)
THRUST_WITH_POLICY(unique_count)
THRUST_WITH_POLICY(unique_by_key)
THRUST_WITH_POLICY(unique_by_key_copy)

}  // namespace thrust
