// Several iterators side by side: a tuple of references.
#pragma once

#include "../detail/iterator_facade.h"
#include "../tuple.h"

namespace thrust {

template <class Tuple>
class zip_iterator;

template <class... It>
class zip_iterator<std::tuple<It...>>
    : public detail::iterator_facade<zip_iterator<std::tuple<It...>>,
                                     std::tuple<detail::value_of<It>...>,
                                     std::tuple<typename std::iterator_traits<It>::reference...>> {
 public:
  typedef std::tuple<typename std::iterator_traits<It>::reference...> reference;
  THRUST_HD zip_iterator() = default;
  THRUST_HD explicit zip_iterator(std::tuple<It...> its) : its_(its) {}
  template <class... Other, class = typename std::enable_if<
                                (std::is_convertible<Other, It>::value && ...)>::type>
  THRUST_HD zip_iterator(const zip_iterator<std::tuple<Other...>> &o)
      : its_(o.get_iterator_tuple()) {}
  THRUST_HD const std::tuple<It...> &get_iterator_tuple() const { return its_; }
  THRUST_HD reference dereference() const {
    return std::apply([](const It &...it) { return reference(*it...); }, its_);
  }
  THRUST_HD void advance(std::ptrdiff_t n) {
    std::apply([n](It &...it) { ((it += n), ...); }, its_);
  }
  THRUST_HD std::ptrdiff_t distance_to(const zip_iterator &o) const {
    return std::get<0>(o.its_) - std::get<0>(its_);
  }

 private:
  std::tuple<It...> its_;
};
template <class... It>
THRUST_HD zip_iterator<std::tuple<It...>> make_zip_iterator(std::tuple<It...> its) {
  return zip_iterator<std::tuple<It...>>(its);
}
template <class... It>
THRUST_HD zip_iterator<std::tuple<It...>> make_zip_iterator(It... its) {
  return zip_iterator<std::tuple<It...>>(std::tuple<It...>(its...));
}

// Calls a function of several arguments with the members of a tuple.
template <class F>
class zip_function {
 public:
  THRUST_HD explicit zip_function(F f) : f_(f) {}
  template <class Tuple>
  THRUST_HD decltype(auto) operator()(Tuple &&t) const {
    return std::apply(f_, std::forward<Tuple>(t));
  }

 private:
  F f_;
};
template <class F>
THRUST_HD zip_function<F> make_zip_function(F f) { return zip_function<F>(f); }

}  // namespace thrust
