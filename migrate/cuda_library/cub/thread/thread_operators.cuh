// Binary operators, and pairs of a key and a value.
#pragma once

#include "cuda_runtime.h"

namespace cub {

struct Sum {
  template <class T>
  __host__ __device__ __forceinline__ T operator()(const T &a, const T &b) const { return a + b; }
};
struct Difference {
  template <class T>
  __host__ __device__ __forceinline__ T operator()(const T &a, const T &b) const { return a - b; }
};
struct Division {
  template <class T>
  __host__ __device__ __forceinline__ T operator()(const T &a, const T &b) const { return a / b; }
};
struct Max {
  template <class T>
  __host__ __device__ __forceinline__ T operator()(const T &a, const T &b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T>
  __host__ __device__ __forceinline__ T operator()(const T &a, const T &b) const {
    return b < a ? b : a;
  }
};
struct Equality {
  template <class T>
  __host__ __device__ __forceinline__ bool operator()(const T &a, const T &b) const {
    return a == b;
  }
};
struct Inequality {
  template <class T>
  __host__ __device__ __forceinline__ bool operator()(const T &a, const T &b) const {
    return a != b;
  }
};
template <class EqualityOp>
struct InequalityWrapper {
  EqualityOp op;
  __host__ __device__ __forceinline__ InequalityWrapper(EqualityOp equal) : op(equal) {}
  template <class T>
  __host__ __device__ __forceinline__ bool operator()(const T &a, const T &b) {
    return !op(a, b);
  }
};

template <class Key_, class Value_>
struct KeyValuePair {
  typedef Key_ Key;
  typedef Value_ Value;
  Key key;
  Value value;
  KeyValuePair() = default;
  __host__ __device__ __forceinline__ KeyValuePair(const Key &k, const Value &v)
      : key(k), value(v) {}
  __host__ __device__ __forceinline__ bool operator!=(const KeyValuePair &b) {
    return value != b.value || key != b.key;
  }
};

// Of equal values the one with the smaller key wins.
struct ArgMax {
  template <class K, class V>
  __host__ __device__ __forceinline__ KeyValuePair<K, V> operator()(
      const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
    if (b.value > a.value || (a.value == b.value && b.key < a.key)) return b;
    return a;
  }
};
struct ArgMin {
  template <class K, class V>
  __host__ __device__ __forceinline__ KeyValuePair<K, V> operator()(
      const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
    if (b.value < a.value || (a.value == b.value && b.key < a.key)) return b;
    return a;
  }
};

// An operator on values, over pairs: values of equal keys are combined.
template <class Op>
struct ReduceByKeyOp {
  Op op;
  template <class Pair>
  __host__ __device__ __forceinline__ Pair operator()(const Pair &a, const Pair &b) {
    Pair result = b;
    if (a.key == b.key) result.value = op(a.value, b.value);
    return result;
  }
};
template <class Op>
struct ReduceBySegmentOp {
  Op op;
  template <class Pair>
  __host__ __device__ __forceinline__ Pair operator()(const Pair &a, const Pair &b) {
    Pair result;
    result.key = a.key + b.key;
    result.value = b.key ? b.value : op(a.value, b.value);
    return result;
  }
};
template <class S>
struct CastOp {
  template <class T>
  __host__ __device__ __forceinline__ S operator()(const T &a) const { return static_cast<S>(a); }
};
template <class Op>
struct SwizzleScanOp {
  Op op;
  __host__ __device__ __forceinline__ SwizzleScanOp(Op scan) : op(scan) {}
  template <class T>
  __host__ __device__ __forceinline__ T operator()(const T &a, const T &b) { return op(b, a); }
};

}  // namespace cub
