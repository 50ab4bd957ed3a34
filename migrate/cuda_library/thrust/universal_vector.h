// A vector in managed memory. The allocator is taken for the sake of the signature alone.
#pragma once

#include "detail/vector_base.h"
#include "device_allocator.h"

namespace thrust {

template <class T, class Allocator = universal_allocator<T>>
class universal_vector : public detail::vector_base<T, detail::managed_memory> {
  typedef detail::vector_base<T, detail::managed_memory> base;

 public:
  typedef Allocator allocator_type;
  universal_vector() = default;
  explicit universal_vector(const Allocator &) {}
  explicit universal_vector(std::size_t n) : base(n) {}
  universal_vector(std::size_t n, const T &value) : base(n, value) {}
  universal_vector(std::size_t n, const T &value, const Allocator &) : base(n, value) {}
  universal_vector(std::initializer_list<T> values) : base(values) {}
  universal_vector(const universal_vector &) = default;
  universal_vector(universal_vector &&) = default;
  template <class It, class = typename std::iterator_traits<It>::iterator_category>
  universal_vector(It first, It last) : base(first, last) {}
  template <class U, class M>
  universal_vector(const detail::vector_base<U, M> &other) : base(other) {}
  template <class U, class A>
  universal_vector(const std::vector<U, A> &other) : base(other) {}
  universal_vector &operator=(const universal_vector &) = default;
  universal_vector &operator=(universal_vector &&) = default;
  using base::operator=;
};

template <class T, class A>
void swap(universal_vector<T, A> &a, universal_vector<T, A> &b) { a.swap(b); }

}  // namespace thrust
