// Expressions such as `a * _1 + _2` as function objects.
#pragma once

#include <tuple>

#include "config.h"

namespace thrust {
namespace detail {

struct expression {};

template <int N>
struct placeholder : expression {
  template <class... A>
  THRUST_HD auto operator()(const A &...a) const {
    return std::get<N>(std::tie(a...));
  }
};
template <class T>
struct constant : expression {
  T value;
  THRUST_HD explicit constant(const T &v) : value(v) {}
  template <class... A>
  THRUST_HD const T &operator()(const A &...) const { return value; }
};
template <class F, class Left, class Right>
struct binary_expression : expression {
  F f;
  Left left;
  Right right;
  THRUST_HD binary_expression(F op, Left l, Right r) : f(op), left(l), right(r) {}
  template <class... A>
  THRUST_HD auto operator()(const A &...a) const {
    return f(left(a...), right(a...));
  }
};
template <class F, class Of>
struct unary_expression : expression {
  F f;
  Of of;
  THRUST_HD unary_expression(F op, Of o) : f(op), of(o) {}
  template <class... A>
  THRUST_HD auto operator()(const A &...a) const { return f(of(a...)); }
};

template <class T, bool Is = std::is_base_of<expression, T>::value>
struct as_expression { typedef constant<T> type; };
template <class T>
struct as_expression<T, true> { typedef T type; };
template <class T>
using expression_of = typename as_expression<T>::type;
template <class A, class B>
using if_expression = typename std::enable_if<
    std::is_base_of<expression, A>::value || std::is_base_of<expression, B>::value, int>::type;

#define THRUST_OPERATOR(symbol, name)                                                  \
  struct name {                                                                        \
    template <class A, class B>                                                        \
    THRUST_HD auto operator()(const A &a, const B &b) const { return a symbol b; }     \
  };                                                                                   \
  template <class A, class B, if_expression<A, B> = 0>                                 \
  THRUST_HD binary_expression<name, expression_of<A>, expression_of<B>> operator symbol( \
      const A &a, const B &b) {                                                        \
    return binary_expression<name, expression_of<A>, expression_of<B>>(                \
        name(), expression_of<A>(a), expression_of<B>(b));                             \
  }
THRUST_OPERATOR(+, op_plus)
THRUST_OPERATOR(-, op_minus)
THRUST_OPERATOR(*, op_times)
THRUST_OPERATOR(/, op_over)
THRUST_OPERATOR(%, op_modulo)
THRUST_OPERATOR(&, op_and)
THRUST_OPERATOR(|, op_or)
THRUST_OPERATOR(^, op_xor)
THRUST_OPERATOR(<<, op_left)
THRUST_OPERATOR(>>, op_right)
THRUST_OPERATOR(==, op_equal)
THRUST_OPERATOR(!=, op_unequal)
THRUST_OPERATOR(<, op_less)
THRUST_OPERATOR(>, op_more)
THRUST_OPERATOR(<=, op_at_most)
THRUST_OPERATOR(>=, op_at_least)
THRUST_OPERATOR(&&, op_both)
THRUST_OPERATOR(||, op_either)
#undef THRUST_OPERATOR

struct op_negate {
  template <class A>
  THRUST_HD auto operator()(const A &a) const { return -a; }
};
struct op_not {
  template <class A>
  THRUST_HD auto operator()(const A &a) const { return !a; }
};
template <class A, if_expression<A, A> = 0>
THRUST_HD unary_expression<op_negate, A> operator-(const A &a) {
  return unary_expression<op_negate, A>(op_negate(), a);
}
template <class A, if_expression<A, A> = 0>
THRUST_HD unary_expression<op_not, A> operator!(const A &a) {
  return unary_expression<op_not, A>(op_not(), a);
}

}  // namespace detail

namespace placeholders {
static const detail::placeholder<0> _1{};
static const detail::placeholder<1> _2{};
static const detail::placeholder<2> _3{};
static const detail::placeholder<3> _4{};
}  // namespace placeholders

}  // namespace thrust
