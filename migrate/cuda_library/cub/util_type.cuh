// Small types that signatures of CUB name.
#pragma once

#include <type_traits>

#include "cuda_runtime.h"

namespace cub {

struct NullType {
  template <class T>
  __host__ __device__ __forceinline__ NullType &operator=(const T &) { return *this; }
  __host__ __device__ __forceinline__ bool operator==(const NullType &) { return true; }
  __host__ __device__ __forceinline__ bool operator!=(const NullType &) { return false; }
};

template <bool Condition, class Then, class Else>
struct If { typedef typename std::conditional<Condition, Then, Else>::type Type; };
template <class A, class B>
struct Equals { enum { VALUE = std::is_same<A, B>::value, NEGATE = !VALUE }; };
template <int N>
struct Int2Type { enum { VALUE = N }; };
template <int N>
struct Log2 { enum { VALUE = N <= 1 ? 0 : 1 + Log2<(N + 1) / 2>::VALUE }; };
template <>
struct Log2<1> { enum { VALUE = 0 }; };
template <>
struct Log2<0> { enum { VALUE = 0 }; };
template <int N>
struct PowerOfTwo { enum { VALUE = (N & (N - 1)) == 0 }; };

// Storage without construction, for unions of temporary storages.
template <class T>
struct Uninitialized {
  alignas(T) unsigned char bytes[sizeof(T)];
  __host__ __device__ __forceinline__ T &Alias() { return *reinterpret_cast<T *>(bytes); }
};

// Two buffers of which one is current: the sorts read one and may leave the result in the other.
template <class T>
struct DoubleBuffer {
  T *d_buffers[2];
  int selector;
  __host__ __device__ __forceinline__ DoubleBuffer() : selector(0) {
    d_buffers[0] = nullptr;
    d_buffers[1] = nullptr;
  }
  __host__ __device__ __forceinline__ DoubleBuffer(T *current, T *alternate) : selector(0) {
    d_buffers[0] = current;
    d_buffers[1] = alternate;
  }
  __host__ __device__ __forceinline__ T *Current() { return d_buffers[selector]; }
  __host__ __device__ __forceinline__ T *Alternate() { return d_buffers[selector ^ 1]; }
};

template <class T>
struct FutureValue {
  T *pointer;
  explicit FutureValue(T *value) : pointer(value) {}
  operator T() { return *pointer; }
};

}  // namespace cub
