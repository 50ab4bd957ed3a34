// cooperative_groups::reduce and the scans, over the lanes of a tile or a coalesced group.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class T = void> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T = void> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T = void> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T = void> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T = void> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T = void> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };
#define CUDA_EMU_ANY_TYPE(name, expression)                                   \
  template <> struct name<void> {                                             \
    template <class T> T operator()(T a, T b) const { return expression; }    \
  };
CUDA_EMU_ANY_TYPE(plus, a + b)
CUDA_EMU_ANY_TYPE(less, b < a ? b : a)
CUDA_EMU_ANY_TYPE(greater, a < b ? b : a)
CUDA_EMU_ANY_TYPE(bit_and, a & b)
CUDA_EMU_ANY_TYPE(bit_or, a | b)
CUDA_EMU_ANY_TYPE(bit_xor, a ^ b)
#undef CUDA_EMU_ANY_TYPE

// The butterfly order of a device: every lane gets the same bits.
template <class Group, class T, class Op>
T reduce(const Group &g, T value, Op op) {
  unsigned size = g.size();
  if ((size & (size - 1)) == 0) {
    for (unsigned step = size / 2; step; step /= 2) value = op(value, g.shfl_xor(value, step));
    return value;
  }
  T result = g.shfl(value, 0);
  for (unsigned rank = 1; rank < size; ++rank) result = op(result, g.shfl(value, rank));
  return result;
}
template <class Group, class T, class Op>
T inclusive_scan(const Group &g, T value, Op op) {
  for (unsigned step = 1; step < g.size(); step *= 2) {
    T other = g.shfl_up(value, step);
    if (g.thread_rank() >= step) value = op(other, value);
  }
  return value;
}
template <class Group, class T>
T inclusive_scan(const Group &g, T value) { return inclusive_scan(g, value, plus<T>()); }
template <class Group, class T, class Op>
T exclusive_scan(const Group &g, T value, Op op) {
  T before = g.shfl_up(inclusive_scan(g, value, op), 1);
  return g.thread_rank() ? before : T{};
}
template <class Group, class T>
T exclusive_scan(const Group &g, T value) { return exclusive_scan(g, value, plus<T>()); }

}  // namespace cooperative_groups
