// Device memory by hand.
#pragma once

#include <new>

#include "device_ptr.h"
#include "system_error.h"

namespace thrust {

inline device_ptr<void> device_malloc(std::size_t bytes) {
  void *p = nullptr;
  if (cudaMalloc(&p, bytes ? bytes : 1) != cudaSuccess) throw std::bad_alloc();
  return device_ptr<void>(p);
}
template <class T>
device_ptr<T> device_malloc(std::size_t count) {
  return device_ptr<T>(static_cast<T *>(device_malloc(count * sizeof(T)).get()));
}
template <class T>
void device_free(device_ptr<T> p) { cudaFree(const_cast<void *>(static_cast<const void *>(p.get()))); }
template <class T>
device_ptr<T> device_new(std::size_t count = 1) {
  device_ptr<T> p = device_malloc<T>(count);
  for (std::size_t i = 0; i < count; ++i) new (p.get() + i) T();
  return p;
}
template <class T>
void device_delete(device_ptr<T> p, std::size_t count = 0) {
  for (std::size_t i = 0; i < count; ++i) p.get()[i].~T();
  device_free(p);
}

}  // namespace thrust
