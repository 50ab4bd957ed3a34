// Prefix sums, whole or by runs of equal keys. Input and output may be the same.
#pragma once

#include "detail/config.h"
#include "functional.h"

namespace thrust {

template <class In, class Out, class Op>
THRUST_HD Out inclusive_scan(In first, In last, Out out, Op op) {
  if (first == last) return out;
  detail::value_of<In> sum = *first;
  *out = sum;
  ++out;
  for (++first; first != last; ++first, ++out) {
    sum = op(sum, *first);
    *out = sum;
  }
  return out;
}
template <class In, class Out>
THRUST_HD Out inclusive_scan(In first, In last, Out out) {
  return thrust::inclusive_scan(first, last, out, plus<>());
}
template <class In, class Out, class T, class Op>
THRUST_HD Out inclusive_scan(In first, In last, Out out, T init, Op op) {
  T sum = init;
  for (; first != last; ++first, ++out) {
    sum = op(sum, *first);
    *out = sum;
  }
  return out;
}
template <class In, class Out, class T, class Op>
THRUST_HD Out exclusive_scan(In first, In last, Out out, T init, Op op) {
  T sum = init;
  for (; first != last; ++first, ++out) {
    const detail::value_of<In> item = *first;
    *out = sum;
    sum = op(sum, item);
  }
  return out;
}
template <class In, class Out, class T>
THRUST_HD Out exclusive_scan(In first, In last, Out out, T init) {
  return thrust::exclusive_scan(first, last, out, init, plus<>());
}
template <class In, class Out>
THRUST_HD Out exclusive_scan(In first, In last, Out out) {
  return thrust::exclusive_scan(first, last, out, detail::value_of<In>(), plus<>());
}
template <class In, class Out, class F, class Op>
THRUST_HD Out transform_inclusive_scan(In first, In last, Out out, F f, Op op) {
  if (first == last) return out;
  auto sum = f(*first);
  *out = sum;
  ++out;
  for (++first; first != last; ++first, ++out) {
    sum = op(sum, f(*first));
    *out = sum;
  }
  return out;
}
template <class In, class Out, class F, class T, class Op>
THRUST_HD Out transform_exclusive_scan(In first, In last, Out out, F f, T init, Op op) {
  T sum = init;
  for (; first != last; ++first, ++out) {
    const detail::value_of<In> item = *first;
    *out = sum;
    sum = op(sum, f(item));
  }
  return out;
}

template <class K, class V, class Out, class Equal, class Op>
THRUST_HD Out inclusive_scan_by_key(K first, K last, V values, Out out, Equal equal, Op op) {
  if (first == last) return out;
  detail::value_of<K> before = *first;
  detail::value_of<V> sum = *values;
  *out = sum;
  ++out;
  for (++first, ++values; first != last; ++first, ++values, ++out) {
    const detail::value_of<K> key = *first;
    const detail::value_of<V> item = *values;
    sum = equal(before, key) ? op(sum, item) : item;
    before = key;
    *out = sum;
  }
  return out;
}
template <class K, class V, class Out, class Equal>
THRUST_HD Out inclusive_scan_by_key(K first, K last, V values, Out out, Equal equal) {
  return thrust::inclusive_scan_by_key(first, last, values, out, equal, plus<>());
}
template <class K, class V, class Out>
THRUST_HD Out inclusive_scan_by_key(K first, K last, V values, Out out) {
  return thrust::inclusive_scan_by_key(first, last, values, out, equal_to<>(), plus<>());
}
template <class K, class V, class Out, class T, class Equal, class Op>
THRUST_HD Out exclusive_scan_by_key(K first, K last, V values, Out out, T init, Equal equal,
                                    Op op) {
  if (first == last) return out;
  detail::value_of<K> before = *first;
  T sum = init;
  for (; first != last; ++first, ++values, ++out) {
    const detail::value_of<K> key = *first;
    const detail::value_of<V> item = *values;
    if (!equal(before, key)) sum = init;
    before = key;
    *out = sum;
    sum = op(sum, item);
  }
  return out;
}
template <class K, class V, class Out, class T, class Equal>
THRUST_HD Out exclusive_scan_by_key(K first, K last, V values, Out out, T init, Equal equal) {
  return thrust::exclusive_scan_by_key(first, last, values, out, init, equal, plus<>());
}
template <class K, class V, class Out, class T>
THRUST_HD Out exclusive_scan_by_key(K first, K last, V values, Out out, T init) {
  return thrust::exclusive_scan_by_key(first, last, values, out, init, equal_to<>(), plus<>());
}
template <class K, class V, class Out>
THRUST_HD Out exclusive_scan_by_key(K first, K last, V values, Out out) {
  return thrust::exclusive_scan_by_key(first, last, values, out, detail::value_of<V>());
}
THRUST_WITH_POLICY(inclusive_scan)
THRUST_WITH_POLICY(exclusive_scan)
THRUST_WITH_POLICY(transform_inclusive_scan)
THRUST_WITH_POLICY(transform_exclusive_scan)
THRUST_WITH_POLICY(inclusive_scan_by_key)
THRUST_WITH_POLICY(exclusive_scan_by_key)

}  // namespace thrust
