// Function objects, and expressions of placeholders.
#pragma once

#include "detail/config.h"
#include "detail/placeholders.h"
#include "pair.h"
#include "tuple.h"

namespace thrust {

template <class A, class R>
struct unary_function {
  typedef A argument_type;
  typedef R result_type;
};
template <class A, class B, class R>
struct binary_function {
  typedef A first_argument_type;
  typedef B second_argument_type;
  typedef R result_type;
};

#define THRUST_BINARY(name, expression, Result)                              \
  template <class T = void>                                                  \
  struct name {                                                              \
    typedef T first_argument_type;                                           \
    typedef T second_argument_type;                                          \
    typedef Result result_type;                                              \
    THRUST_HD constexpr Result operator()(const T &a, const T &b) const {    \
      return expression;                                                     \
    }                                                                        \
  };                                                                         \
  template <>                                                                \
  struct name<void> {                                                        \
    template <class A, class B>                                              \
    THRUST_HD constexpr auto operator()(const A &a, const B &b) const        \
        -> decltype(expression) {                                            \
      return expression;                                                     \
    }                                                                        \
  };
THRUST_BINARY(plus, a + b, T)
THRUST_BINARY(minus, a - b, T)
THRUST_BINARY(multiplies, a * b, T)
THRUST_BINARY(divides, a / b, T)
THRUST_BINARY(modulus, a % b, T)
THRUST_BINARY(bit_and, a & b, T)
THRUST_BINARY(bit_or, a | b, T)
THRUST_BINARY(bit_xor, a ^ b, T)
THRUST_BINARY(equal_to, a == b, bool)
THRUST_BINARY(not_equal_to, a != b, bool)
THRUST_BINARY(greater, a > b, bool)
THRUST_BINARY(less, a < b, bool)
THRUST_BINARY(greater_equal, a >= b, bool)
THRUST_BINARY(less_equal, a <= b, bool)
THRUST_BINARY(logical_and, a && b, bool)
THRUST_BINARY(logical_or, a || b, bool)
THRUST_BINARY(maximum, a < b ? b : a, T)
THRUST_BINARY(minimum, b < a ? b : a, T)
#undef THRUST_BINARY

#define THRUST_UNARY(name, expression, Result)                               \
  template <class T = void>                                                  \
  struct name {                                                              \
    typedef T argument_type;                                                 \
    typedef Result result_type;                                              \
    THRUST_HD constexpr Result operator()(const T &a) const { return expression; } \
  };                                                                         \
  template <>                                                                \
  struct name<void> {                                                        \
    template <class A>                                                       \
    THRUST_HD constexpr auto operator()(const A &a) const -> decltype(expression) { \
      return expression;                                                     \
    }                                                                        \
  };
THRUST_UNARY(negate, -a, T)
THRUST_UNARY(logical_not, !a, bool)
THRUST_UNARY(bit_not, ~a, T)
THRUST_UNARY(square, a *a, T)
#undef THRUST_UNARY

template <class T = void>
struct identity {
  typedef T argument_type;
  typedef T result_type;
  THRUST_HD constexpr const T &operator()(const T &a) const { return a; }
};
template <>
struct identity<void> {
  template <class A>
  THRUST_HD constexpr A &&operator()(A &&a) const { return static_cast<A &&>(a); }
};
template <class A = void, class B = void>
struct project1st {
  THRUST_HD constexpr const A &operator()(const A &a, const B &) const { return a; }
};
template <class A = void, class B = void>
struct project2nd {
  THRUST_HD constexpr const B &operator()(const A &, const B &b) const { return b; }
};

template <class F>
struct unary_negate {
  F f;
  template <class A>
  THRUST_HD bool operator()(const A &a) { return !f(a); }
};
template <class F>
struct binary_negate {
  F f;
  template <class A, class B>
  THRUST_HD bool operator()(const A &a, const B &b) { return !f(a, b); }
};
template <class F>
THRUST_HD unary_negate<F> not1(const F &f) { return unary_negate<F>{f}; }
template <class F>
THRUST_HD binary_negate<F> not2(const F &f) { return binary_negate<F>{f}; }
template <class F>
THRUST_HD unary_negate<F> not_fn(const F &f) { return unary_negate<F>{f}; }

}  // namespace thrust
