// A permutation by random keys.
#pragma once

#include "random.h"

namespace thrust {

template <class It, class Engine>
void shuffle(It first, It last, Engine &&engine) {
  for (auto n = last - first; n > 1; --n) {
    uniform_int_distribution<long long> pick(0, n - 1);
    const auto other = static_cast<std::ptrdiff_t>(pick(engine));
    const detail::value_of<It> held = *(first + (n - 1));
    *(first + (n - 1)) = *(first + other);
    *(first + other) = held;
  }
}
THRUST_WITH_POLICY(shuffle)

}  // namespace thrust
