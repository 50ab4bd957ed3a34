// One value out of a range, or one for each run of equal keys.
#pragma once

#include "detail/config.h"
#include "functional.h"

namespace thrust {

template <class In, class T, class Op>
THRUST_HD T reduce(In first, In last, T init, Op op) {
  T total = init;
  for (; first != last; ++first) total = op(total, *first);
  return total;
}
template <class In, class T>
THRUST_HD T reduce(In first, In last, T init) {
  return thrust::reduce(first, last, init, plus<T>());
}
template <class In>
THRUST_HD detail::value_of<In> reduce(In first, In last) {
  return thrust::reduce(first, last, detail::value_of<In>());
}
template <class In, class F, class T, class Op>
THRUST_HD T transform_reduce(In first, In last, F f, T init, Op op) {
  T total = init;
  for (; first != last; ++first) total = op(total, f(*first));
  return total;
}
template <class A, class B, class T, class Op, class F>
THRUST_HD T inner_product(A first, A last, B other, T init, Op op, F f) {
  T total = init;
  for (; first != last; ++first, ++other) total = op(total, f(*first, *other));
  return total;
}
template <class A, class B, class T>
THRUST_HD T inner_product(A first, A last, B other, T init) {
  return thrust::inner_product(first, last, other, init, plus<T>(), multiplies<>());
}

template <class K, class V, class KOut, class VOut, class Equal, class Op>
THRUST_HD std::pair<KOut, VOut> reduce_by_key(K first, K last, V values, KOut keys_out,
                                              VOut values_out, Equal equal, Op op) {
  while (first != last) {
    const detail::value_of<K> key = *first;
    detail::value_of<K> before = key;
    detail::value_of<V> total = *values;
    for (++first, ++values; first != last && equal(before, *first); ++first, ++values) {
      before = *first;
      total = op(total, *values);
    }
    *keys_out = key;
    *values_out = total;
    ++keys_out;
    ++values_out;
  }
  return std::pair<KOut, VOut>(keys_out, values_out);
}
template <class K, class V, class KOut, class VOut, class Equal>
THRUST_HD std::pair<KOut, VOut> reduce_by_key(K first, K last, V values, KOut keys_out,
                                              VOut values_out, Equal equal) {
  return thrust::reduce_by_key(first, last, values, keys_out, values_out, equal, plus<>());
}
template <class K, class V, class KOut, class VOut>
THRUST_HD std::pair<KOut, VOut> reduce_by_key(K first, K last, V values, KOut keys_out,
                                              VOut values_out) {
  return thrust::reduce_by_key(first, last, values, keys_out, values_out, equal_to<>(), plus<>());
}
THRUST_WITH_POLICY(reduce)
THRUST_WITH_POLICY(transform_reduce)
THRUST_WITH_POLICY(inner_product)
THRUST_WITH_POLICY(reduce_by_key)

}  // namespace thrust
