// A vector in host memory. The allocator is taken for the sake of the signature alone.
#pragma once

#include <memory>
#include "detail/vector_base.h"
#include "generate.h"

namespace thrust {

template <class T, class Allocator = std::allocator<T>>
class host_vector : public detail::vector_base<T, detail::host_memory> {
  typedef detail::vector_base<T, detail::host_memory> base;

 public:
  typedef Allocator allocator_type;
  host_vector() = default;
  explicit host_vector(const Allocator &) {}
  explicit host_vector(std::size_t n) : base(n) {}
  host_vector(std::size_t n, const T &value) : base(n, value) {}
  host_vector(std::size_t n, const T &value, const Allocator &) : base(n, value) {}
  host_vector(std::initializer_list<T> values) : base(values) {}
  host_vector(const host_vector &) = default;
  host_vector(host_vector &&) = default;
  template <class It, class = typename std::iterator_traits<It>::iterator_category>
  host_vector(It first, It last) : base(first, last) {}
  template <class U, class M>
  host_vector(const detail::vector_base<U, M> &other) : base(other) {}
  template <class U, class A>
  host_vector(const std::vector<U, A> &other) : base(other) {}
  host_vector &operator=(const host_vector &) = default;
  host_vector &operator=(host_vector &&) = default;
  using base::operator=;
};

template <class T, class A>
void swap(host_vector<T, A> &a, host_vector<T, A> &b) { a.swap(b); }

}  // namespace thrust
