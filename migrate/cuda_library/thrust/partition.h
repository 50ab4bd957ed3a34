// Brings the chosen elements to the front; both parts keep their order.
#pragma once

#include <algorithm>
#include <vector>
#include "detail/config.h"

namespace thrust {

template <class In, class A, class B, class Choose>
THRUST_HD std::pair<A, B> partition_copy(In first, In last, A chosen, B others, Choose choose) {
  for (; first != last; ++first) {
    if (choose(*first)) {
      *chosen = *first;
      ++chosen;
    } else {
      *others = *first;
      ++others;
    }
  }
  return std::pair<A, B>(chosen, others);
}
template <class In, class Stencil, class A, class B, class Choose>
THRUST_HD std::pair<A, B> partition_copy(In first, In last, Stencil stencil, A chosen, B others,
                                         Choose choose) {
  for (; first != last; ++first, ++stencil) {
    if (choose(*stencil)) {
      *chosen = *first;
      ++chosen;
    } else {
      *others = *first;
      ++others;
    }
  }
  return std::pair<A, B>(chosen, others);
}
template <class It, class Choose>
THRUST_HD It stable_partition(It first, It last, Choose choose) {
  std::vector<detail::stored_of<It>> others;
  It out = first;
  for (; first != last; ++first) {
    if (choose(*first)) {
      *out = *first;
      ++out;
    } else {
      others.push_back(*first);
    }
  }
  std::copy(others.begin(), others.end(), out);
  return out;
}
template <class It, class Stencil, class Choose>
THRUST_HD It stable_partition(It first, It last, Stencil stencil, Choose choose) {
  std::vector<detail::stored_of<It>> others;
  It out = first;
  for (; first != last; ++first, ++stencil) {
    if (choose(*stencil)) {
      *out = *first;
      ++out;
    } else {
      others.push_back(*first);
    }
  }
  std::copy(others.begin(), others.end(), out);
  return out;
}
template <class It, class Choose>
THRUST_HD It partition(It first, It last, Choose choose) {
  return thrust::stable_partition(first, last, choose);
}
template <class It, class Stencil, class Choose>
THRUST_HD It partition(It first, It last, Stencil stencil, Choose choose) {
  return thrust::stable_partition(first, last, stencil, choose);
}
template <class In, class A, class B, class Choose>
THRUST_HD std::pair<A, B> stable_partition_copy(In first, In last, A chosen, B others,
                                                Choose choose) {
  return thrust::partition_copy(first, last, chosen, others, choose);
}
template <class It, class Choose>
THRUST_HD It partition_point(It first, It last, Choose choose) {
  while (first != last && choose(*first)) ++first;
  return first;
}
template <class It, class Choose>
THRUST_HD bool is_partitioned(It first, It last, Choose choose) {
  for (first = thrust::partition_point(first, last, choose); first != last; ++first)
    if (choose(*first)) return false;
  return true;
}
THRUST_WITH_POLICY(partition)
THRUST_WITH_POLICY(stable_partition)
THRUST_WITH_POLICY(partition_copy)
THRUST_WITH_POLICY(stable_partition_copy)
THRUST_WITH_POLICY(partition_point)
THRUST_WITH_POLICY(is_partitioned)

}  // namespace thrust
