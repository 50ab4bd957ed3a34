// Checks of a test program: each failure is a line, the last line counts.
#pragma once

#include <cmath>
#include <cstdio>

namespace expect {

inline int checked = 0, failed = 0;

inline void that(const char *name, bool holds) {
  ++checked;
  if (holds) return;
  ++failed;
  std::printf("FAILED %s\n", name);
}
template <class A, class B>
void equal(const char *name, A got, B wanted) {
  bool same = got == static_cast<A>(wanted);
  that(name, same);
  if (!same)
    std::printf("  got %.17g, wanted %.17g\n", static_cast<double>(got), static_cast<double>(wanted));
}
// Within `tolerance`, relative to the wanted value or to 1, whichever is larger.
inline void near(const char *name, double got, double wanted, double tolerance) {
  double scale = std::fabs(wanted) > 1.0 ? std::fabs(wanted) : 1.0;
  bool close = std::fabs(got - wanted) <= tolerance * scale;
  that(name, close);
  if (!close) std::printf("  got %.17g, wanted %.17g\n", got, wanted);
}
inline int report() {
  std::printf("checked %d failed %d\n", checked, failed);
  return failed != 0;
}

}  // namespace expect
