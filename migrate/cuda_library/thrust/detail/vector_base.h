// The vectors: one class over host memory or memory of the device.
#pragma once

#include <initializer_list>
#include <new>
#include <stdexcept>
#include <vector>

#include "../copy.h"
#include "../device_malloc.h"
#include "../device_ptr.h"
#include "../distance.h"
#include "../fill.h"
#include "../functional.h"

namespace thrust {
namespace detail {

struct host_memory {
  template <class T>
  using iterator = T *;
  static void *take(std::size_t bytes) { return ::operator new(bytes); }
  static void give(void *p) { ::operator delete(p); }
  template <class T>
  static T *at(T *p) { return p; }
};
struct device_memory {
  template <class T>
  using iterator = device_ptr<T>;
  static void *take(std::size_t bytes) { return device_malloc(bytes).get(); }
  static void give(void *p) { cudaFree(p); }
  template <class T>
  static device_ptr<T> at(T *p) { return device_ptr<T>(p); }
};
struct managed_memory : device_memory {
  static void *take(std::size_t bytes) {
    void *p = nullptr;
    if (cudaMallocManaged(&p, bytes ? bytes : 1) != cudaSuccess) throw std::bad_alloc();
    return p;
  }
};

template <class T, class Memory>
class vector_base {
 public:
  typedef T value_type;
  typedef T &reference;
  typedef const T &const_reference;
  typedef typename Memory::template iterator<T> iterator;
  typedef typename Memory::template iterator<const T> const_iterator;
  typedef std::reverse_iterator<iterator> reverse_iterator;
  typedef std::reverse_iterator<const_iterator> const_reverse_iterator;
  typedef iterator pointer;
  typedef const_iterator const_pointer;
  typedef std::size_t size_type;
  typedef std::ptrdiff_t difference_type;

  vector_base() = default;
  explicit vector_base(size_type n) { resize(n); }
  vector_base(size_type n, const T &value) { resize(n, value); }
  vector_base(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  vector_base(const vector_base &other) { assign(other.data_, other.data_ + other.size_); }
  vector_base(vector_base &&other) noexcept { swap(other); }
  template <class It, class = typename std::iterator_traits<It>::iterator_category>
  vector_base(It first, It last) { assign(first, last); }
  template <class U, class M>
  vector_base(const vector_base<U, M> &other) { assign(other.begin(), other.end()); }
  template <class U, class A>
  vector_base(const std::vector<U, A> &other) { assign(other.begin(), other.end()); }
  ~vector_base() {
    clear();
    if (data_) Memory::give(data_);
  }
  vector_base &operator=(const vector_base &other) {
    if (this != &other) assign(other.data_, other.data_ + other.size_);
    return *this;
  }
  vector_base &operator=(vector_base &&other) noexcept {
    swap(other);
    return *this;
  }
  template <class U, class M>
  vector_base &operator=(const vector_base<U, M> &other) {
    assign(other.begin(), other.end());
    return *this;
  }
  template <class U, class A>
  vector_base &operator=(const std::vector<U, A> &other) {
    assign(other.begin(), other.end());
    return *this;
  }
  vector_base &operator=(std::initializer_list<T> values) {
    assign(values.begin(), values.end());
    return *this;
  }

  template <class It, class = typename std::iterator_traits<It>::iterator_category>
  void assign(It first, It last) {
    clear();
    reserve(static_cast<size_type>(std::distance(first, last)));
    for (; first != last; ++first) new (data_ + size_++) T(static_cast<T>(*first));
  }
  void assign(size_type n, const T &value) {
    const T copy = value;
    clear();
    resize(n, copy);
  }

  size_type size() const { return size_; }
  size_type max_size() const { return static_cast<size_type>(-1) / sizeof(T); }
  size_type capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  void reserve(size_type n) {
    if (n <= capacity_) return;
    T *moved = static_cast<T *>(Memory::take(n * sizeof(T)));
    for (size_type i = 0; i < size_; ++i) {
      new (moved + i) T(std::move(data_[i]));
      data_[i].~T();
    }
    if (data_) Memory::give(data_);
    data_ = moved;
    capacity_ = n;
  }
  void resize(size_type n) { resize(n, T()); }
  void resize(size_type n, const T &value) {
    reserve(n);
    while (size_ < n) new (data_ + size_++) T(value);
    while (size_ > n) data_[--size_].~T();
  }
  void clear() {
    while (size_) data_[--size_].~T();
  }
  void shrink_to_fit() {}
  void push_back(const T &value) {
    const T copy = value;
    if (size_ == capacity_) reserve(capacity_ ? 2 * capacity_ : 1);
    new (data_ + size_++) T(copy);
  }
  template <class... A>
  void emplace_back(A &&...a) { push_back(T(std::forward<A>(a)...)); }
  void pop_back() { data_[--size_].~T(); }

  iterator insert(const_iterator position, const T &value) {
    return insert_values(position, std::vector<T>(1, value));
  }
  iterator insert(const_iterator position, size_type n, const T &value) {
    return insert_values(position, std::vector<T>(n, value));
  }
  template <class It, class = typename std::iterator_traits<It>::iterator_category>
  iterator insert(const_iterator position, It first, It last) {
    std::vector<T> values;
    for (; first != last; ++first) values.push_back(static_cast<T>(*first));
    return insert_values(position, values);
  }
  iterator erase(const_iterator position) { return erase(position, position + 1); }
  iterator erase(const_iterator first, const_iterator last) {
    const size_type at = static_cast<size_type>(first - cbegin());
    const size_type n = static_cast<size_type>(last - first);
    for (size_type i = at; i + n < size_; ++i) data_[i] = std::move(data_[i + n]);
    for (size_type i = 0; i < n; ++i) data_[--size_].~T();
    return begin() + static_cast<difference_type>(at);
  }
  void swap(vector_base &other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  reference operator[](size_type i) { return data_[i]; }
  const_reference operator[](size_type i) const { return data_[i]; }
  reference at(size_type i) { return data_[checked(i)]; }
  const_reference at(size_type i) const { return data_[checked(i)]; }
  reference front() { return data_[0]; }
  const_reference front() const { return data_[0]; }
  reference back() { return data_[size_ - 1]; }
  const_reference back() const { return data_[size_ - 1]; }
  pointer data() { return Memory::at(data_); }
  const_pointer data() const { return Memory::at(static_cast<const T *>(data_)); }
  iterator begin() { return Memory::at(data_); }
  iterator end() { return Memory::at(data_ + size_); }
  const_iterator begin() const { return Memory::at(static_cast<const T *>(data_)); }
  const_iterator end() const { return Memory::at(static_cast<const T *>(data_) + size_); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  reverse_iterator rbegin() { return reverse_iterator(end()); }
  reverse_iterator rend() { return reverse_iterator(begin()); }
  const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
  const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }

 private:
  size_type checked(size_type i) const {
    if (i >= size_) throw std::out_of_range("thrust vector");
    return i;
  }
  iterator insert_values(const_iterator position, const std::vector<T> &values) {
    const size_type at = static_cast<size_type>(position - cbegin());
    std::vector<T> tail(data_ + at, data_ + size_);
    while (size_ > at) data_[--size_].~T();
    reserve(at + values.size() + tail.size());
    for (const T &v : values) new (data_ + size_++) T(v);
    for (const T &v : tail) new (data_ + size_++) T(v);
    return begin() + static_cast<difference_type>(at);
  }

  T *data_ = nullptr;
  size_type size_ = 0, capacity_ = 0;
};

template <class T, class M, class U, class N>
bool operator==(const vector_base<T, M> &a, const vector_base<U, N> &b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i])) return false;
  return true;
}
template <class T, class M, class U, class N>
bool operator!=(const vector_base<T, M> &a, const vector_base<U, N> &b) { return !(a == b); }

}  // namespace detail
}  // namespace thrust
