// Floats that become integers in device code. The rewriter puts converted<T>(value) around values
// that may be such (migrate/emulation/integer_conversions.py); all others go through unchanged.
#pragma once

#include <limits>
#include <type_traits>

#include "block.h"
#include "rounding.h"

namespace cuda_emu {
template <class To>
inline constexpr bool wide_integer = std::is_integral<To>::value && sizeof(To) >= 4;
template <class To, class V>
inline constexpr bool saturates =
    wide_integer<To> && (std::is_same<V, float>::value || std::is_same<V, double>::value);

// Whether I holds the value without its fraction; false too for a float that is just the smallest I.
template <class I, class V>
constexpr bool surely_fits(V value) {
  constexpr V above = static_cast<V>(std::numeric_limits<I>::max() / 2 + 1) * V(2);
  constexpr V below =
      std::is_unsigned<I>::value ? V(-1) : static_cast<V>(std::numeric_limits<I>::min()) - V(1);
  return value > below && value < above;
}
template <class I, class V>
__attribute__((noinline, cold)) I out_of_range(V value, bool device) {
  return device ? to_integer<I>(value, Round::zero) : static_cast<I>(value);
}
// As a device does it: saturated, and NaN to 0 (PTX ISA, cvt.rzi).
template <class I, class V>
I device_integer(V value) {
  return surely_fits<I>(value) ? static_cast<I>(value) : out_of_range<I>(value, true);
}
// The same in a kernel. On the host a function for both sides does what the host's compiler makes
// of it.
template <class To, class V>
__attribute__((always_inline)) inline constexpr auto converted(V value) {
  typedef std::remove_cv_t<std::remove_reference_t<To>> I;
  if constexpr (saturates<I, V>) {
    return surely_fits<I>(value) ? static_cast<I>(value) : out_of_range<I>(value, in_kernel());
  } else {
    return value;
  }
}
}  // namespace cuda_emu
