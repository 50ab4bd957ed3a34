// Pointers and memory by execution policy.
#pragma once

#include "device_malloc.h"

namespace thrust {

template <class T, class P, detail::if_policy<P> = 0>
device_ptr<T> malloc(const P &, std::size_t count) { return device_malloc<T>(count); }
template <class P, detail::if_policy<P> = 0>
device_ptr<void> malloc(const P &, std::size_t bytes) { return device_malloc(bytes); }
template <class P, class T, detail::if_policy<P> = 0>
void free(const P &, device_ptr<T> p) { device_free(p); }
template <class P, class T, detail::if_policy<P> = 0>
void free(const P &, T *p) { cudaFree(p); }

}  // namespace thrust
