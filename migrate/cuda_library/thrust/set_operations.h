// Sorted ranges as sets.
#pragma once

#include <algorithm>
#include "functional.h"

namespace thrust {

template <class A, class B, class Out, class Less>
THRUST_HD Out set_union(A a, A a_last, B b, B b_last, Out out, Less less) {
  return std::set_union(a, a_last, b, b_last, out, less);
}
template <class A, class B, class Out>
THRUST_HD Out set_union(A a, A a_last, B b, B b_last, Out out) {
  return std::set_union(a, a_last, b, b_last, out, thrust::less<>());
}
THRUST_WITH_POLICY(set_union)
template <class A, class B, class Out, class Less>
THRUST_HD Out set_intersection(A a, A a_last, B b, B b_last, Out out, Less less) {
  return std::set_intersection(a, a_last, b, b_last, out, less);
}
template <class A, class B, class Out>
THRUST_HD Out set_intersection(A a, A a_last, B b, B b_last, Out out) {
  return std::set_intersection(a, a_last, b, b_last, out, thrust::less<>());
}
THRUST_WITH_POLICY(set_intersection)
template <class A, class B, class Out, class Less>
THRUST_HD Out set_difference(A a, A a_last, B b, B b_last, Out out, Less less) {
  return std::set_difference(a, a_last, b, b_last, out, less);
}
template <class A, class B, class Out>
THRUST_HD Out set_difference(A a, A a_last, B b, B b_last, Out out) {
  return std::set_difference(a, a_last, b, b_last, out, thrust::less<>());
}
THRUST_WITH_POLICY(set_difference)
template <class A, class B, class Out, class Less>
THRUST_HD Out set_symmetric_difference(A a, A a_last, B b, B b_last, Out out, Less less) {
  return std::set_symmetric_difference(a, a_last, b, b_last, out, less);
}
template <class A, class B, class Out>
THRUST_HD Out set_symmetric_difference(A a, A a_last, B b, B b_last, Out out) {
  return std::set_symmetric_difference(a, a_last, b, b_last, out, thrust::less<>());
}
THRUST_WITH_POLICY(set_symmetric_difference)

}  // namespace thrust
