// PTX cvt: between integers and floating-point formats (PTX ISA, "cvt").
#pragma once

#include "ptx_values.h"

namespace cuda_emu {
namespace ptx {

template <class T>
float widened(T v) { return static_cast<float>(v); }
inline double widened(double v) { return v; }

template <class D>
D narrowed(double v, Round round) {
  if constexpr (std::is_same_v<D, double>) return v;
  else if constexpr (std::is_same_v<D, float>) return double_to_float(v, round);
  else {
    // Through a float rounded to odd, which keeps what the last rounding has to know.
    float f = round_to_odd(v);
    if constexpr (std::is_same_v<D, __half>) return __half_raw{float_to_half_bits(f, round)};
    else return __nv_bfloat16_raw{float_to_bf16_bits(f, round)};
  }
}

// `to_whole` is set for .rni .rzi .rmi .rpi, which round to an integral value.
template <class D, class S>
Bits convert(Bits raw, Mode mode, bool to_whole = false) {
  S v = flushed(get<S>(raw), mode);
  if constexpr (is_real<S> && is_real<D>) {
    auto w = widened(v);
    if (to_whole) return result<D>(narrowed<D>(whole(w, mode.round), Round::nearest), mode);
    if constexpr (std::is_same_v<S, D>) return result<D>(v, mode);
    else return result<D>(narrowed<D>(static_cast<double>(w), mode.round), mode);
  } else if constexpr (is_real<S>) {
    return put<D>(to_integer<D>(widened(v), mode.round));
  } else if constexpr (is_real<D>) {
    if constexpr (std::is_same_v<D, double>) return result<D>(from_integer<double>(v, mode.round), mode);
    else if constexpr (std::is_same_v<D, float>) return result<D>(from_integer<float>(v, mode.round), mode);
    else return result<D>(narrowed<D>(static_cast<double>(integer_to_odd(v)), mode.round), mode);
  } else {
    if (mode.saturate) {
      __int128 low = std::numeric_limits<D>::min(), high = std::numeric_limits<D>::max(), w = v;
      return put<D>(static_cast<D>(w < low ? low : w > high ? high : w));
    }
    return put<D>(static_cast<D>(v));
  }
}

// cvt.f16x2.f32 d, a, b: `a` goes to the upper half.
template <class Pair>
Bits convert_pair(Bits high, Bits low, Mode mode, bool relu) {
  typedef typename IsPair<Pair>::single S;
  Bits h = convert<S, float>(high, mode), l = convert<S, float>(low, mode);
  if (relu) {
    auto clamp = [](Bits bits) { return get<S>(bits) < S(0.0f) ? Bits{0} : bits; };
    h = clamp(h);
    l = clamp(l);
  }
  return h << 16 | l;
}

// cvt.rna.tf32.f32: ten bits of fraction, ties away from zero.
inline Bits convert_tf32(Bits raw) {
  std::uint32_t u = static_cast<std::uint32_t>(raw);
  return (u & 0x7F800000u) == 0x7F800000u ? u : (u + 0x1000u) & ~0x1FFFu;
}

}  // namespace ptx
}  // namespace cuda_emu
