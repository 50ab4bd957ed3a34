// Elements at the places that another iterator gives.
#pragma once

#include "../detail/iterator_facade.h"

namespace thrust {

template <class Elements, class Indices>
class permutation_iterator
    : public detail::iterator_facade<permutation_iterator<Elements, Indices>,
                                     detail::value_of<Elements>,
                                     typename std::iterator_traits<Elements>::reference> {
 public:
  THRUST_HD permutation_iterator() = default;
  THRUST_HD permutation_iterator(Elements elements, Indices indices)
      : elements_(elements), indices_(indices) {}
  THRUST_HD typename std::iterator_traits<Elements>::reference dereference() const {
    return *(elements_ + static_cast<std::ptrdiff_t>(*indices_));
  }
  THRUST_HD void advance(std::ptrdiff_t n) { indices_ += n; }
  THRUST_HD std::ptrdiff_t distance_to(const permutation_iterator &o) const {
    return o.indices_ - indices_;
  }

 private:
  Elements elements_;
  Indices indices_;
};
template <class Elements, class Indices>
THRUST_HD permutation_iterator<Elements, Indices> make_permutation_iterator(Elements elements,
                                                                            Indices indices) {
  return permutation_iterator<Elements, Indices>(elements, indices);
}

}  // namespace thrust
