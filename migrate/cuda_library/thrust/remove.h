// Takes elements out; the others keep their order.
#pragma once

#include "detail/config.h"

namespace thrust {

template <class In, class Out, class Drop>
THRUST_HD Out remove_copy_if(In first, In last, Out out, Drop drop) {
  for (; first != last; ++first) {
    if (!drop(*first)) {
      *out = *first;
      ++out;
    }
  }
  return out;
}
template <class In, class Stencil, class Out, class Drop>
THRUST_HD Out remove_copy_if(In first, In last, Stencil stencil, Out out, Drop drop) {
  for (; first != last; ++first, ++stencil) {
    if (!drop(*stencil)) {
      *out = *first;
      ++out;
    }
  }
  return out;
}
template <class It, class Drop>
THRUST_HD It remove_if(It first, It last, Drop drop) {
  return thrust::remove_copy_if(first, last, first, drop);
}
template <class It, class Stencil, class Drop>
THRUST_HD It remove_if(It first, It last, Stencil stencil, Drop drop) {
  return thrust::remove_copy_if(first, last, stencil, first, drop);
}
template <class In, class Out, class T>
THRUST_HD Out remove_copy(In first, In last, Out out, const T &value) {
  for (; first != last; ++first) {
    if (!(*first == value)) {
      *out = *first;
      ++out;
    }
  }
  return out;
}
template <class It, class T>
THRUST_HD It remove(It first, It last, const T &value) {
  return thrust::remove_copy(first, last, first, value);
}
THRUST_WITH_POLICY(remove)
THRUST_WITH_POLICY(remove_if)
THRUST_WITH_POLICY(remove_copy)
THRUST_WITH_POLICY(remove_copy_if)

}  // namespace thrust
