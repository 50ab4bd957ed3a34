// CUB's function objects and key-value pairs.
#pragma once

#include "../cuda_runtime.h"

namespace cub {

struct Sum { template <class T> T operator()(const T &a, const T &b) const { return a + b; } };
struct Difference { template <class T> T operator()(const T &a, const T &b) const { return a - b; } };
struct Max { template <class T> T operator()(const T &a, const T &b) const { return b > a ? b : a; } };
struct Min { template <class T> T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
struct Equality {
  template <class T> bool operator()(const T &a, const T &b) const { return a == b; }
};
struct Inequality {
  template <class T> bool operator()(const T &a, const T &b) const { return a != b; }
};

template <class Key_, class Value_>
struct KeyValuePair {
  typedef Key_ Key;
  typedef Value_ Value;
  Key key;
  Value value;
  KeyValuePair() = default;
  KeyValuePair(Key k, Value v) : key(k), value(v) {}
};
// Of equal values the one with the smaller key wins.
struct ArgMax {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
    return b.value > a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
    return b.value < a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};

namespace detail {
inline unsigned rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

// Plain bytes for one value a thread: shared variables have no constructors.
template <class T, int Count>
struct Slots {
  alignas(T) unsigned char bytes[sizeof(T) * Count];
  T &operator[](int at) { return *reinterpret_cast<T *>(bytes + sizeof(T) * at); }
};

// The order of CUB's shuffle reduction: neighbours first, so that floating-point sums agree.
template <class T, class Op>
T fold_warp(T *values, int count, Op op) {
  for (int step = 1; step < count; step *= 2)
    for (int i = 0; i + step < count; ++i) values[i] = op(values[i], values[i + step]);
  return values[0];
}
}  // namespace detail

}  // namespace cub
