// Searches and counts.
#pragma once

#include "functional.h"

namespace thrust {

template <class It, class Choose>
THRUST_HD It find_if(It first, It last, Choose choose) {
  while (first != last && !choose(*first)) ++first;
  return first;
}
template <class It, class Choose>
THRUST_HD It find_if_not(It first, It last, Choose choose) {
  while (first != last && choose(*first)) ++first;
  return first;
}
template <class It, class T>
THRUST_HD It find(It first, It last, const T &value) {
  while (first != last && !(*first == value)) ++first;
  return first;
}
template <class It, class Choose>
THRUST_HD detail::difference_of<It> count_if(It first, It last, Choose choose) {
  detail::difference_of<It> n = 0;
  for (; first != last; ++first) n += choose(*first) ? 1 : 0;
  return n;
}
template <class It, class T>
THRUST_HD detail::difference_of<It> count(It first, It last, const T &value) {
  detail::difference_of<It> n = 0;
  for (; first != last; ++first) n += *first == value ? 1 : 0;
  return n;
}
template <class It, class Choose>
THRUST_HD bool all_of(It first, It last, Choose choose) {
  return thrust::find_if_not(first, last, choose) == last;
}
template <class It, class Choose>
THRUST_HD bool any_of(It first, It last, Choose choose) {
  return !(thrust::find_if(first, last, choose) == last);
}
template <class It, class Choose>
THRUST_HD bool none_of(It first, It last, Choose choose) {
  return thrust::find_if(first, last, choose) == last;
}
template <class A, class B, class Equal>
THRUST_HD bool equal(A first, A last, B other, Equal same) {
  for (; first != last; ++first, ++other)
    if (!same(*first, *other)) return false;
  return true;
}
template <class A, class B>
THRUST_HD bool equal(A first, A last, B other) {
  return thrust::equal(first, last, other, equal_to<>());
}
template <class A, class B, class Equal>
THRUST_HD std::pair<A, B> mismatch(A first, A last, B other, Equal same) {
  for (; first != last && same(*first, *other); ++first, ++other) {
  }
  return std::pair<A, B>(first, other);
}
template <class A, class B>
THRUST_HD std::pair<A, B> mismatch(A first, A last, B other) {
  return thrust::mismatch(first, last, other, equal_to<>());
}
THRUST_WITH_POLICY(find)
THRUST_WITH_POLICY(find_if)
THRUST_WITH_POLICY(find_if_not)
THRUST_WITH_POLICY(count)
THRUST_WITH_POLICY(count_if)
THRUST_WITH_POLICY(all_of)
THRUST_WITH_POLICY(any_of)
THRUST_WITH_POLICY(none_of)
THRUST_WITH_POLICY(equal)
THRUST_WITH_POLICY(mismatch)

}  // namespace thrust
