// Complex numbers.
#pragma once

#include <cmath>
#include <complex>

#include "detail/config.h"

namespace thrust {

template <class T>
struct complex {
  typedef T value_type;
  T re, im;

  THRUST_HD complex() : re(0), im(0) {}
  THRUST_HD complex(const T &r) : re(r), im(0) {}
  THRUST_HD complex(const T &r, const T &i) : re(r), im(i) {}
  template <class U>
  THRUST_HD complex(const complex<U> &o)
      : re(static_cast<T>(o.re)), im(static_cast<T>(o.im)) {}
  template <class U>
  THRUST_HD complex(const std::complex<U> &o)
      : re(static_cast<T>(o.real())), im(static_cast<T>(o.imag())) {}
  THRUST_HD T real() const { return re; }
  THRUST_HD T imag() const { return im; }
  THRUST_HD void real(T r) { re = r; }
  THRUST_HD void imag(T i) { im = i; }
  THRUST_HD operator std::complex<T>() const { return std::complex<T>(re, im); }

  THRUST_HD complex &operator+=(const complex &o) {
    re += o.re;
    im += o.im;
    return *this;
  }
  THRUST_HD complex &operator-=(const complex &o) {
    re -= o.re;
    im -= o.im;
    return *this;
  }
  THRUST_HD complex &operator*=(const complex &o) {
    const T r = re * o.re - im * o.im;
    im = re * o.im + im * o.re;
    re = r;
    return *this;
  }
  // Scaled by the size of the divisor, against overflow.
  THRUST_HD complex &operator/=(const complex &o) {
    const T scale = (o.re < 0 ? -o.re : o.re) + (o.im < 0 ? -o.im : o.im);
    const T inverse = T(1) / scale;
    const T ar = re * inverse, ai = im * inverse, br = o.re * inverse, bi = o.im * inverse;
    const T whole = T(1) / (br * br + bi * bi);
    re = (ar * br + ai * bi) * whole;
    im = (ai * br - ar * bi) * whole;
    return *this;
  }
  THRUST_HD friend complex operator+(complex a, const complex &b) { return a += b; }
  THRUST_HD friend complex operator-(complex a, const complex &b) { return a -= b; }
  THRUST_HD friend complex operator*(complex a, const complex &b) { return a *= b; }
  THRUST_HD friend complex operator/(complex a, const complex &b) { return a /= b; }
  THRUST_HD friend complex operator-(const complex &a) { return complex(-a.re, -a.im); }
  THRUST_HD friend complex operator+(const complex &a) { return a; }
  THRUST_HD friend bool operator==(const complex &a, const complex &b) {
    return a.re == b.re && a.im == b.im;
  }
  THRUST_HD friend bool operator!=(const complex &a, const complex &b) { return !(a == b); }
};

template <class T>
THRUST_HD T abs(const complex<T> &z) { return ::hypot(z.re, z.im); }
template <class T>
THRUST_HD T arg(const complex<T> &z) { return ::atan2(z.im, z.re); }
template <class T>
THRUST_HD T norm(const complex<T> &z) { return z.re * z.re + z.im * z.im; }
template <class T>
THRUST_HD complex<T> conj(const complex<T> &z) { return complex<T>(z.re, -z.im); }
template <class T>
THRUST_HD complex<T> polar(const T &m, const T &theta = T(0)) {
  return complex<T>(m * static_cast<T>(::cos(theta)), m * static_cast<T>(::sin(theta)));
}
template <class T>
THRUST_HD complex<T> exp(const complex<T> &z) {
  return polar(static_cast<T>(::exp(z.re)), z.im);
}
template <class T>
THRUST_HD complex<T> log(const complex<T> &z) {
  return complex<T>(static_cast<T>(::log(abs(z))), arg(z));
}
template <class T>
THRUST_HD complex<T> sqrt(const complex<T> &z) {
  return polar(static_cast<T>(::sqrt(abs(z))), arg(z) / T(2));
}
template <class T>
THRUST_HD complex<T> pow(const complex<T> &z, const complex<T> &power) {
  return exp(log(z) * power);
}
template <class T>
THRUST_HD complex<T> pow(const complex<T> &z, const T &power) {
  return exp(log(z) * complex<T>(power));
}
template <class T>
THRUST_HD complex<T> sin(const complex<T> &z) {
  return complex<T>(static_cast<T>(::sin(z.re) * ::cosh(z.im)),
                    static_cast<T>(::cos(z.re) * ::sinh(z.im)));
}
template <class T>
THRUST_HD complex<T> cos(const complex<T> &z) {
  return complex<T>(static_cast<T>(::cos(z.re) * ::cosh(z.im)),
                    static_cast<T>(-::sin(z.re) * ::sinh(z.im)));
}

}  // namespace thrust
