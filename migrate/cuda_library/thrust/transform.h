// Values from the values of one or two ranges.
#pragma once

#include "detail/config.h"
#include "functional.h"

namespace thrust {

template <class In, class Out, class F>
THRUST_HD Out transform(In first, In last, Out out, F f) {
  for (; first != last; ++first, ++out) *out = f(*first);
  return out;
}
template <class A, class B, class Out, class F>
THRUST_HD Out transform(A first, A last, B other, Out out, F f) {
  for (; first != last; ++first, ++other, ++out) *out = f(*first, *other);
  return out;
}
template <class In, class Out, class F, class Choose>
THRUST_HD Out transform_if(In first, In last, Out out, F f, Choose choose) {
  for (; first != last; ++first, ++out)
    if (choose(*first)) *out = f(*first);
  return out;
}
template <class In, class Stencil, class Out, class F, class Choose>
THRUST_HD Out transform_if(In first, In last, Stencil stencil, Out out, F f, Choose choose) {
  for (; first != last; ++first, ++stencil, ++out)
    if (choose(*stencil)) *out = f(*first);
  return out;
}
template <class A, class B, class Stencil, class Out, class F, class Choose>
THRUST_HD Out transform_if(A first, A last, B other, Stencil stencil, Out out, F f,
                           Choose choose) {
  for (; first != last; ++first, ++other, ++stencil, ++out)
    if (choose(*stencil)) *out = f(*first, *other);
  return out;
}
template <class It, class Choose, class T>
THRUST_HD void replace_if(It first, It last, Choose choose, const T &value) {
  for (; first != last; ++first)
    if (choose(*first)) *first = value;
}
template <class It, class Stencil, class Choose, class T>
THRUST_HD void replace_if(It first, It last, Stencil stencil, Choose choose, const T &value) {
  for (; first != last; ++first, ++stencil)
    if (choose(*stencil)) *first = value;
}
template <class It, class T>
THRUST_HD void replace(It first, It last, const T &old, const T &value) {
  for (; first != last; ++first)
    if (*first == old) *first = value;
}
template <class In, class Out, class Choose, class T>
THRUST_HD Out replace_copy_if(In first, In last, Out out, Choose choose, const T &value) {
  for (; first != last; ++first, ++out) {
    if (choose(*first)) *out = value;
    else *out = *first;
  }
  return out;
}
// Each element less the one before it; the first as it is.
template <class In, class Out, class F>
THRUST_HD Out adjacent_difference(In first, In last, Out out, F f) {
  if (first == last) return out;
  detail::value_of<In> before = *first;
  *out = before;
  ++out;
  for (++first; first != last; ++first, ++out) {
    const detail::value_of<In> current = *first;
    *out = f(current, before);
    before = current;
  }
  return out;
}
template <class In, class Out>
THRUST_HD Out adjacent_difference(In first, In last, Out out) {
  return thrust::adjacent_difference(first, last, out, minus<detail::value_of<In>>());
}
THRUST_WITH_POLICY(transform)
THRUST_WITH_POLICY(transform_if)
THRUST_WITH_POLICY(replace)
THRUST_WITH_POLICY(replace_if)
THRUST_WITH_POLICY(replace_copy_if)
THRUST_WITH_POLICY(adjacent_difference)

}  // namespace thrust
