// Distributions on top of the generators, by cuRAND's documented methods: uniform in (0, 1], normal by
// Box and Muller in pairs, log-normal, Poisson.
#pragma once

#include <cmath>

#include "mrg32k3a.h"
#include "philox.h"
#include "xorwow.h"

namespace cuda_emu {

inline constexpr float inv_2pow32 = 2.3283064e-10f;
inline constexpr float inv_2pow32_2pi = 2.3283064e-10f * 6.2831855f;
inline constexpr double inv_2pow32_double = 2.3283064365386963e-10;
inline constexpr double inv_2pow53 = 1.1102230246251565e-16;

inline float uniform_of(unsigned int x) { return static_cast<float>(x) * inv_2pow32 + inv_2pow32 / 2.0f; }
inline std::uint64_t join53(unsigned int x, unsigned int y) {
  return static_cast<std::uint64_t>(x) ^ static_cast<std::uint64_t>(y) << (53 - 32);
}
inline double uniform_double_of(unsigned int x, unsigned int y) {
  return static_cast<double>(join53(x, y)) * inv_2pow53 + inv_2pow53 / 2.0;
}
inline float2 box_muller(unsigned int x, unsigned int y) {
  float u = uniform_of(x), v = static_cast<float>(y) * inv_2pow32_2pi + inv_2pow32_2pi / 2.0f;
  float s = std::sqrt(-2.0f * std::log(u));
  return float2{std::sin(v) * s, std::cos(v) * s};
}
inline double2 box_muller_double(unsigned int x0, unsigned int x1, unsigned int y0, unsigned int y1) {
  double u = uniform_double_of(x0, x1);
  double v = static_cast<double>(join53(y0, y1)) * (inv_2pow53 * 2.0) + inv_2pow53;
  double s = std::sqrt(-2.0 * std::log(u)), sine, cosine;
  sincospi(v, &sine, &cosine);
  return double2{sine * s, cosine * s};
}
template <class State>
double2 next_box_muller_double(State *s) {
  unsigned a = curand(s), b = curand(s), c = curand(s), d = curand(s);
  return box_muller_double(a, b, c, d);
}
inline double2 next_box_muller_double(curandStatePhilox4_32_10 *s) {
  uint4 v = curand4(s);
  return box_muller_double(v.x, v.y, v.z, v.w);
}

// Products of uniforms for small means (Knuth), a rounded normal for large ones.
template <class State>
unsigned poisson(State *s, double mean) {
  if (mean < 64.0) {
    double limit = std::exp(-mean), product = uniform_of(curand(s));
    unsigned count = 0;
    for (; product > limit; ++count) product *= uniform_of(curand(s));
    return count;
  }
  double value = std::floor(mean + std::sqrt(mean) * next_box_muller_double(s).x + 0.5);
  return value < 0.0 ? 0u : static_cast<unsigned>(value);
}

}  // namespace cuda_emu

inline float curand_uniform(curandStateMRG32k3a *s) {
  return static_cast<float>(cuda_emu::mrg_next(s) * cuda_emu::mrg_norm);
}
inline double curand_uniform_double(curandStateMRG32k3a *s) { return cuda_emu::mrg_next(s) * cuda_emu::mrg_norm; }
template <class State> float curand_uniform(State *s) { return cuda_emu::uniform_of(curand(s)); }
inline double curand_uniform_double(curandStateXORWOW *s) {
  unsigned x = curand(s), y = curand(s);
  return cuda_emu::uniform_double_of(x, y);
}
inline double curand_uniform_double(curandStatePhilox4_32_10 *s) {
  return curand(s) * cuda_emu::inv_2pow32_double + cuda_emu::inv_2pow32_double;
}
inline float4 curand_uniform4(curandStatePhilox4_32_10 *s) {
  uint4 v = curand4(s);
  using cuda_emu::uniform_of;
  return float4{uniform_of(v.x), uniform_of(v.y), uniform_of(v.z), uniform_of(v.w)};
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10 *s) {
  uint4 v = curand4(s);
  return double2{cuda_emu::uniform_double_of(v.x, v.y), cuda_emu::uniform_double_of(v.z, v.w)};
}

template <class State> float2 curand_normal2(State *s) {
  unsigned x = curand(s), y = curand(s);
  return cuda_emu::box_muller(x, y);
}
// The second number of a pair waits for the next call.
template <class State> float curand_normal(State *s) {
  if (s->boxmuller_flag) return s->boxmuller_flag = 0, s->boxmuller_extra;
  float2 both = curand_normal2(s);
  s->boxmuller_extra = both.y;
  s->boxmuller_flag = 1;
  return both.x;
}
inline float4 curand_normal4(curandStatePhilox4_32_10 *s) {
  uint4 v = curand4(s);
  float2 a = cuda_emu::box_muller(v.x, v.y), b = cuda_emu::box_muller(v.z, v.w);
  return float4{a.x, a.y, b.x, b.y};
}
template <class State> double2 curand_normal2_double(State *s) { return cuda_emu::next_box_muller_double(s); }
template <class State> double curand_normal_double(State *s) {
  if (s->boxmuller_flag_double) return s->boxmuller_flag_double = 0, s->boxmuller_extra_double;
  double2 both = curand_normal2_double(s);
  s->boxmuller_extra_double = both.y;
  s->boxmuller_flag_double = 1;
  return both.x;
}
template <class State> float curand_log_normal(State *s, float mean, float deviation) {
  return std::exp(mean + deviation * curand_normal(s));
}
template <class State> float2 curand_log_normal2(State *s, float mean, float deviation) {
  float2 n = curand_normal2(s);
  return float2{std::exp(mean + deviation * n.x), std::exp(mean + deviation * n.y)};
}
template <class State> double curand_log_normal_double(State *s, double mean, double deviation) {
  return std::exp(mean + deviation * curand_normal_double(s));
}
template <class State> unsigned curand_poisson(State *s, double mean) { return cuda_emu::poisson(s, mean); }
inline uint4 curand_poisson4(curandStatePhilox4_32_10 *s, double mean) {
  unsigned a = cuda_emu::poisson(s, mean), b = cuda_emu::poisson(s, mean);
  unsigned c = cuda_emu::poisson(s, mean), d = cuda_emu::poisson(s, mean);
  return uint4{a, b, c, d};
}
