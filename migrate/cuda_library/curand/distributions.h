// Distributions on top of the generators, by cuRAND's documented methods: uniform in (0, 1], normal by
// Box and Muller in pairs, log-normal, Poisson.
#pragma once

#include <cmath>

#include "mrg32k3a.h"
#include "philox.h"
#include "sobol.h"
#include "xorwow.h"

namespace curand_detail {

static constexpr float inv_2pow32 = 2.3283064e-10f;
static constexpr float inv_2pow32_2pi = 2.3283064e-10f * 6.2831855f;
static constexpr double inv_2pow32_double = 2.3283064365386963e-10;
static constexpr double inv_2pow53 = 1.1102230246251565e-16;

__host__ __device__ inline float uniform_of(unsigned int x) {
  return static_cast<float>(x) * inv_2pow32 + inv_2pow32 / 2.0f;
}
__host__ __device__ inline uint64_t join53(unsigned int x, unsigned int y) {
  return static_cast<uint64_t>(x) ^ static_cast<uint64_t>(y) << (53 - 32);
}
__host__ __device__ inline double uniform_double_of(unsigned int x, unsigned int y) {
  return static_cast<double>(join53(x, y)) * inv_2pow53 + inv_2pow53 / 2.0;
}
__host__ __device__ inline float2 box_muller(unsigned int x, unsigned int y) {
  float u = uniform_of(x), v = static_cast<float>(y) * inv_2pow32_2pi + inv_2pow32_2pi / 2.0f;
  float s = std::sqrt(-2.0f * std::log(u));
  return float2{std::sin(v) * s, std::cos(v) * s};
}
__host__ __device__ inline double2 box_muller_double(unsigned int x0, unsigned int x1,
                                                     unsigned int y0, unsigned int y1) {
  double u = uniform_double_of(x0, x1);
  double v = static_cast<double>(join53(y0, y1)) * (inv_2pow53 * 2.0) + inv_2pow53;
  double s = std::sqrt(-2.0 * std::log(u)), sine, cosine;
  sincospi(v, &sine, &cosine);
  return double2{sine * s, cosine * s};
}
template <class State>
__host__ __device__ double2 next_box_muller_double(State *s) {
  unsigned a = curand(s), b = curand(s), c = curand(s), d = curand(s);
  return box_muller_double(a, b, c, d);
}
__host__ __device__ inline double2 next_box_muller_double(curandStatePhilox4_32_10 *s) {
  uint4 v = curand4(s);
  return box_muller_double(v.x, v.y, v.z, v.w);
}

// Products of uniforms for small means (Knuth), a rounded normal for large ones.
template <class State>
__host__ __device__ unsigned poisson(State *s, double mean) {
  if (mean < 64.0) {
    double limit = std::exp(-mean), product = uniform_of(curand(s));
    unsigned count = 0;
    for (; product > limit; ++count) product *= uniform_of(curand(s));
    return count;
  }
  double value = std::floor(mean + std::sqrt(mean) * next_box_muller_double(s).x + 0.5);
  return value < 0.0 ? 0u : static_cast<unsigned>(value);
}

}  // namespace curand_detail

__host__ __device__ inline float curand_uniform(curandStateMRG32k3a *s) {
  return static_cast<float>(curand_detail::mrg_next(s) * curand_detail::mrg_norm);
}
__host__ __device__ inline double curand_uniform_double(curandStateMRG32k3a *s) {
  return curand_detail::mrg_next(s) * curand_detail::mrg_norm;
}
template <class State>
__host__ __device__ float curand_uniform(State *s) {
  return curand_detail::uniform_of(curand(s));
}
__host__ __device__ inline double curand_uniform_double(curandStateXORWOW *s) {
  unsigned x = curand(s), y = curand(s);
  return curand_detail::uniform_double_of(x, y);
}
__host__ __device__ inline double curand_uniform_double(curandStatePhilox4_32_10 *s) {
  return curand(s) * curand_detail::inv_2pow32_double + curand_detail::inv_2pow32_double;
}
// Of a number with 64 bits the upper ones count.
__host__ __device__ inline float curand_uniform(curandStateSobol64 *s) {
  return curand_detail::uniform_of((unsigned int)(curand(s) >> 32));
}
__host__ __device__ inline float curand_uniform(curandStateScrambledSobol64 *s) {
  return curand_detail::uniform_of((unsigned int)(curand(s) >> 32));
}
__host__ __device__ inline double curand_uniform_double(curandStateSobol32 *s) {
  return curand(s) * curand_detail::inv_2pow32_double + curand_detail::inv_2pow32_double;
}
__host__ __device__ inline double curand_uniform_double(curandStateScrambledSobol32 *s) {
  return curand(s) * curand_detail::inv_2pow32_double + curand_detail::inv_2pow32_double;
}
__host__ __device__ inline double curand_uniform_double(curandStateSobol64 *s) {
  return (double)(curand(s) >> 11) * curand_detail::inv_2pow53 + curand_detail::inv_2pow53 / 2.0;
}
__host__ __device__ inline double curand_uniform_double(curandStateScrambledSobol64 *s) {
  return (double)(curand(s) >> 11) * curand_detail::inv_2pow53 + curand_detail::inv_2pow53 / 2.0;
}
__host__ __device__ inline float4 curand_uniform4(curandStatePhilox4_32_10 *s) {
  uint4 v = curand4(s);
  using curand_detail::uniform_of;
  return float4{uniform_of(v.x), uniform_of(v.y), uniform_of(v.z), uniform_of(v.w)};
}
__host__ __device__ inline double2 curand_uniform2_double(curandStatePhilox4_32_10 *s) {
  uint4 v = curand4(s);
  using curand_detail::uniform_double_of;
  return double2{uniform_double_of(v.x, v.y), uniform_double_of(v.z, v.w)};
}

template <class State> __host__ __device__ float2 curand_normal2(State *s) {
  unsigned x = curand(s), y = curand(s);
  return curand_detail::box_muller(x, y);
}
// The second number of a pair waits for the next call.
template <class State> __host__ __device__ float curand_normal(State *s) {
  if (s->boxmuller_flag) return s->boxmuller_flag = 0, s->boxmuller_extra;
  float2 both = curand_normal2(s);
  s->boxmuller_extra = both.y;
  s->boxmuller_flag = 1;
  return both.x;
}
__host__ __device__ inline float4 curand_normal4(curandStatePhilox4_32_10 *s) {
  uint4 v = curand4(s);
  float2 a = curand_detail::box_muller(v.x, v.y), b = curand_detail::box_muller(v.z, v.w);
  return float4{a.x, a.y, b.x, b.y};
}
template <class State>
__host__ __device__ double2 curand_normal2_double(State *s) {
  return curand_detail::next_box_muller_double(s);
}
template <class State> __host__ __device__ double curand_normal_double(State *s) {
  if (s->boxmuller_flag_double) {
    s->boxmuller_flag_double = 0;
    return __longlong_as_double((long long)s->boxmuller_extra_double);
  }
  double2 both = curand_normal2_double(s);
  s->boxmuller_extra_double = (unsigned long long)__double_as_longlong(both.y);
  s->boxmuller_flag_double = 1;
  return both.x;
}
template <class State>
__host__ __device__ float curand_log_normal(State *s, float mean, float deviation) {
  return std::exp(mean + deviation * curand_normal(s));
}
template <class State>
__host__ __device__ float2 curand_log_normal2(State *s, float mean, float deviation) {
  float2 n = curand_normal2(s);
  return float2{std::exp(mean + deviation * n.x), std::exp(mean + deviation * n.y)};
}
template <class State>
__host__ __device__ double curand_log_normal_double(State *s, double mean, double deviation) {
  return std::exp(mean + deviation * curand_normal_double(s));
}
template <class State>
__host__ __device__ unsigned curand_poisson(State *s, double mean) {
  return curand_detail::poisson(s, mean);
}
__host__ __device__ inline uint4 curand_poisson4(curandStatePhilox4_32_10 *s, double mean) {
  unsigned a = curand_detail::poisson(s, mean), b = curand_detail::poisson(s, mean);
  unsigned c = curand_detail::poisson(s, mean), d = curand_detail::poisson(s, mean);
  return uint4{a, b, c, d};
}
