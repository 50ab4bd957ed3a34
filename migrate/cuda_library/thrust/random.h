// Random engines and distributions, with the numbers of Thrust.
#pragma once

#include <cmath>
#include <iostream>
#include "detail/config.h"

namespace thrust {

// x -> a x + c (mod m).
template <class T, T a, T c, T m>
class linear_congruential_engine {
 public:
  typedef T result_type;
  static constexpr result_type multiplier = a, increment = c, modulus = m;
  static constexpr result_type min = c == 0 ? 1 : 0, max = m - 1;
  static constexpr result_type default_seed = 1;

  THRUST_HD explicit linear_congruential_engine(result_type s = default_seed) { seed(s); }
  THRUST_HD void seed(result_type s = default_seed) {
    x_ = c % m == 0 && s % m == 0 ? 1 : s % m;
  }
  THRUST_HD result_type operator()() {
    x_ = static_cast<T>((static_cast<unsigned long long>(a) * x_ + c) % m);
    return x_;
  }
  // By repeated squaring of the step.
  THRUST_HD void discard(unsigned long long n) {
    unsigned long long factor = a, shift = c % m;
    for (; n > 0; n >>= 1) {
      if (n & 1) x_ = static_cast<T>((factor * x_ + shift) % m);
      shift = (factor * shift + shift) % m;
      factor = factor * factor % m;
    }
  }
  THRUST_HD bool operator==(const linear_congruential_engine &o) const { return x_ == o.x_; }
  THRUST_HD bool operator!=(const linear_congruential_engine &o) const { return x_ != o.x_; }

 private:
  result_type x_;
};
typedef linear_congruential_engine<unsigned int, 16807, 0, 2147483647> minstd_rand0;
typedef linear_congruential_engine<unsigned int, 48271, 0, 2147483647> minstd_rand;
typedef minstd_rand default_random_engine;

// The engine's range mapped to [a, b).
template <class Real = double>
class uniform_real_distribution {
 public:
  typedef Real result_type;
  THRUST_HD explicit uniform_real_distribution(Real a = 0, Real b = 1) : a_(a), b_(b) {}
  template <class Engine>
  THRUST_HD Real operator()(Engine &engine) {
    Real value = static_cast<Real>(engine() - Engine::min);
    value /= Real(1) + static_cast<Real>(Engine::max - Engine::min);
    return value * (b_ - a_) + a_;
  }
  THRUST_HD void reset() {}
  THRUST_HD Real a() const { return a_; }
  THRUST_HD Real b() const { return b_; }

 private:
  Real a_, b_;
};

// Whole numbers of [a, b]: a real number of [a, b + 1), cut.
template <class Int = int>
class uniform_int_distribution {
 public:
  typedef Int result_type;
  THRUST_HD explicit uniform_int_distribution(Int a = 0, Int b = 2147483647) : a_(a), b_(b) {}
  template <class Engine>
  THRUST_HD Int operator()(Engine &engine) {
    uniform_real_distribution<double> real(static_cast<double>(a_), static_cast<double>(b_) + 1);
    return static_cast<Int>(::floor(real(engine)));
  }
  THRUST_HD void reset() {}

 private:
  Int a_, b_;
};

// By the inverse of the error function.
template <class Real = double>
class normal_distribution {
 public:
  typedef Real result_type;
  THRUST_HD explicit normal_distribution(Real mean = 0, Real deviation = 1)
      : mean_(mean), deviation_(deviation) {}
  template <class Engine>
  THRUST_HD Real operator()(Engine &engine) {
    const auto range = Engine::max - Engine::min;
    const Real scale = static_cast<Real>(1.0 / static_cast<double>(range));
    Real root = static_cast<Real>(-1.4142135623730950488016887242097);
    auto u = engine() - Engine::min;
    if (u > range / 2) {
      u = range - u;
      root = -root;
    }
    const Real p = static_cast<Real>(u) * scale + scale / 2;
    return mean_ + deviation_ * root * static_cast<Real>(::erfcinv(2 * p));
  }
  THRUST_HD void reset() {}

 private:
  Real mean_, deviation_;
};

namespace random {
using thrust::default_random_engine;
using thrust::linear_congruential_engine;
using thrust::minstd_rand;
using thrust::minstd_rand0;
using thrust::normal_distribution;
using thrust::uniform_int_distribution;
using thrust::uniform_real_distribution;
}  // namespace random

}  // namespace thrust
