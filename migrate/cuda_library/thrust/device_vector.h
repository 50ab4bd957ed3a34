// A vector in device memory. The allocator is taken for the sake of the signature alone.
#pragma once

#include "detail/vector_base.h"
#include "device_allocator.h"
#include "generate.h"
#include "iterator/zip_iterator.h"

namespace thrust {

template <class T, class Allocator = device_allocator<T>>
class device_vector : public detail::vector_base<T, detail::device_memory> {
  typedef detail::vector_base<T, detail::device_memory> base;

 public:
  typedef Allocator allocator_type;
  device_vector() = default;
  explicit device_vector(const Allocator &) {}
  explicit device_vector(std::size_t n) : base(n) {}
  device_vector(std::size_t n, const T &value) : base(n, value) {}
  device_vector(std::size_t n, const T &value, const Allocator &) : base(n, value) {}
  device_vector(std::initializer_list<T> values) : base(values) {}
  device_vector(const device_vector &) = default;
  device_vector(device_vector &&) = default;
  template <class It, class = typename std::iterator_traits<It>::iterator_category>
  device_vector(It first, It last) : base(first, last) {}
  template <class U, class M>
  device_vector(const detail::vector_base<U, M> &other) : base(other) {}
  template <class U, class A>
  device_vector(const std::vector<U, A> &other) : base(other) {}
  device_vector &operator=(const device_vector &) = default;
  device_vector &operator=(device_vector &&) = default;
  using base::operator=;
};

template <class T, class A>
void swap(device_vector<T, A> &a, device_vector<T, A> &b) { a.swap(b); }

}  // namespace thrust
