// Allocators by name: what allocates device memory here is cudaMalloc.
#pragma once

#include "device_malloc.h"

namespace thrust {

template <class T>
class device_allocator {
 public:
  typedef T value_type;
  typedef device_ptr<T> pointer;
  typedef device_ptr<const T> const_pointer;
  typedef T &reference;
  typedef const T &const_reference;
  typedef std::size_t size_type;
  typedef std::ptrdiff_t difference_type;
  template <class U>
  struct rebind { typedef device_allocator<U> other; };
  device_allocator() = default;
  template <class U>
  device_allocator(const device_allocator<U> &) {}
  pointer allocate(size_type n) { return device_malloc<T>(n); }
  void deallocate(pointer p, size_type) { device_free(p); }
};
template <class T>
using device_malloc_allocator = device_allocator<T>;
template <class T>
using universal_allocator = device_allocator<T>;

}  // namespace thrust
