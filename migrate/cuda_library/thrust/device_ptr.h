// Pointers to device memory as a type of their own.
#pragma once

#include "detail/iterator_facade.h"

namespace thrust {

template <class T>
class device_ptr : public detail::iterator_facade<device_ptr<T>, typename std::remove_cv<T>::type,
                                                  typename std::add_lvalue_reference<T>::type> {
 public:
  typedef T element_type;
  typedef T *raw_pointer;
  THRUST_HD device_ptr() : p_(nullptr) {}
  THRUST_HD device_ptr(std::nullptr_t) : p_(nullptr) {}
  THRUST_HD explicit device_ptr(T *p) : p_(p) {}
  template <class U, class = typename std::enable_if<std::is_convertible<U *, T *>::value>::type>
  THRUST_HD device_ptr(const device_ptr<U> &other) : p_(other.get()) {}
  THRUST_HD T *get() const { return p_; }
  THRUST_HD explicit operator bool() const { return p_ != nullptr; }

  THRUST_HD T &dereference() const { return *p_; }
  THRUST_HD void advance(std::ptrdiff_t n) { p_ += n; }
  THRUST_HD std::ptrdiff_t distance_to(const device_ptr &o) const { return o.p_ - p_; }

 private:
  T *p_;
};

// Memory without a type: cast before use.
template <>
class device_ptr<void> {
 public:
  THRUST_HD device_ptr() : p_(nullptr) {}
  THRUST_HD explicit device_ptr(void *p) : p_(p) {}
  template <class U>
  THRUST_HD device_ptr(const device_ptr<U> &other) : p_(other.get()) {}
  THRUST_HD void *get() const { return p_; }

 private:
  void *p_;
};

template <class T>
THRUST_HD void swap(device_ptr<T> &a, device_ptr<T> &b) {
  const device_ptr<T> held = a;
  a = b;
  b = held;
}
template <class T>
THRUST_HD device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <class T>
THRUST_HD device_ptr<T> device_pointer_cast(const device_ptr<T> &p) { return p; }
template <class T>
THRUST_HD T *raw_pointer_cast(T *p) { return p; }
template <class T>
THRUST_HD T *raw_pointer_cast(const device_ptr<T> &p) { return p.get(); }
template <class T>
THRUST_HD T &raw_reference_cast(T &value) { return value; }
template <class T>
using device_reference = T &;

}  // namespace thrust
