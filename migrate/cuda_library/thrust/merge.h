// Two sorted ranges into one; of equal elements those of the first range come first.
#pragma once

#include "functional.h"

namespace thrust {

template <class A, class B, class Out, class Less>
THRUST_HD Out merge(A a, A a_last, B b, B b_last, Out out, Less less) {
  while (a != a_last || b != b_last) {
    if (a == a_last || (b != b_last && less(*b, *a))) {
      *out = *b;
      ++b;
    } else {
      *out = *a;
      ++a;
    }
    ++out;
  }
  return out;
}
template <class A, class B, class Out>
THRUST_HD Out merge(A a, A a_last, B b, B b_last, Out out) {
  return thrust::merge(a, a_last, b, b_last, out, thrust::less<>());
}
template <class KA, class KB, class VA, class VB, class KOut, class VOut, class Less>
THRUST_HD std::pair<KOut, VOut> merge_by_key(KA a, KA a_last, KB b, KB b_last, VA va, VB vb,
                                             KOut keys, VOut values, Less less) {
  while (a != a_last || b != b_last) {
    if (a == a_last || (b != b_last && less(*b, *a))) {
      *keys = *b;
      *values = *vb;
      ++b;
      ++vb;
    } else {
      *keys = *a;
      *values = *va;
      ++a;
      ++va;
    }
    ++keys;
    ++values;
  }
  return std::pair<KOut, VOut>(keys, values);
}
template <class KA, class KB, class VA, class VB, class KOut, class VOut>
THRUST_HD std::pair<KOut, VOut> merge_by_key(KA a, KA a_last, KB b, KB b_last, VA va, VB vb,
                                             KOut keys, VOut values) {
  return thrust::merge_by_key(a, a_last, b, b_last, va, vb, keys, values, thrust::less<>());
}
THRUST_WITH_POLICY(merge)
THRUST_WITH_POLICY(merge_by_key)

}  // namespace thrust
