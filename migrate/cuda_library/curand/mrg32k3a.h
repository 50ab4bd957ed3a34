// MRG32k3a (L'Ecuyer, "Good parameters and implementations for combined multiple recursive random
// number generators", 1999). Subsequences are 2^76 steps apart.
#pragma once

#include <stdint.h>

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  unsigned long long boxmuller_extra_double;  // the bits of a double
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

namespace curand_detail {

static constexpr uint64_t mrg_m1 = 4294967087u, mrg_m2 = 4294944443u;
static constexpr double mrg_norm = 2.328306549295727688e-10;  // 1 / (m1 + 1)

struct MrgMatrix { uint64_t at[3][3]; };

// One step: the older two move up, and the new one is a sum of the three.
__host__ __device__ inline MrgMatrix mrg_step(uint64_t a, uint64_t b, uint64_t c) {
  MrgMatrix out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.at[i][j] = i + 1 == j;
  out.at[2][0] = a;
  out.at[2][1] = b;
  out.at[2][2] = c;
  return out;
}
__host__ __device__ inline MrgMatrix mrg_product(const MrgMatrix &a, const MrgMatrix &b,
                                                 uint64_t m) {
  MrgMatrix out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      uint64_t sum = 0;  // entries are below 2^32, so that their products fit
      for (int k = 0; k < 3; ++k) sum += a.at[i][k] * b.at[k][j] % m;
      out.at[i][j] = sum % m;
    }
  return out;
}
// s = step^(count * 2^doublings) s
__host__ __device__ inline void mrg_skip(unsigned int s[3], MrgMatrix step, uint64_t m, uint64_t count,
                     unsigned doublings) {
  for (unsigned i = 0; i < doublings; ++i) step = mrg_product(step, step, m);
  for (; count; count >>= 1, step = mrg_product(step, step, m)) {
    if (!(count & 1)) continue;
    unsigned int next[3];
    for (int i = 0; i < 3; ++i) {
      uint64_t sum = 0;
      for (int k = 0; k < 3; ++k) sum += step.at[i][k] * s[k] % m;
      next[i] = static_cast<unsigned>(sum % m);
    }
    for (int i = 0; i < 3; ++i) s[i] = next[i];
  }
}
__host__ __device__ inline void mrg_skip(curandStateMRG32k3a *s, uint64_t count, unsigned doublings) {
  mrg_skip(s->s1, mrg_step(mrg_m1 - 810728, 1403580, 0), mrg_m1, count, doublings);
  mrg_skip(s->s2, mrg_step(mrg_m2 - 1370589, 0, 527612), mrg_m2, count, doublings);
}
// A value in [1, m1].
__host__ __device__ inline uint32_t mrg_next(curandStateMRG32k3a *s) {
  uint64_t p1 = (1403580 * uint64_t{s->s1[1]} + (mrg_m1 - 810728) * uint64_t{s->s1[0]}) % mrg_m1;
  uint64_t p2 = (527612 * uint64_t{s->s2[2]} + (mrg_m2 - 1370589) * uint64_t{s->s2[0]}) % mrg_m2;
  s->s1[0] = s->s1[1], s->s1[1] = s->s1[2], s->s1[2] = static_cast<unsigned>(p1);
  s->s2[0] = s->s2[1], s->s2[1] = s->s2[2], s->s2[2] = static_cast<unsigned>(p2);
  return static_cast<uint32_t>(p1 > p2 ? p1 - p2 : p1 + mrg_m1 - p2);
}

}  // namespace curand_detail

__host__ __device__ inline void skipahead(unsigned long long n, curandStateMRG32k3a *s) {
  curand_detail::mrg_skip(s, n, 0);
}
__host__ __device__ inline void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *s) {
  curand_detail::mrg_skip(s, n, 76);
}
__host__ __device__ inline void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *s) {
  curand_detail::mrg_skip(s, n, 127);
}
__host__ __device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateMRG32k3a *s) {
  s->boxmuller_flag = 0;
  s->boxmuller_flag_double = 0;
  s->boxmuller_extra = 0.0f;
  s->boxmuller_extra_double = 0;
  for (int i = 0; i < 3; ++i) s->s1[i] = 12345u, s->s2[i] = 12345u;
  if (seed) {
    uint64_t x1 = static_cast<uint32_t>(seed) ^ 0x55555555u;
    uint64_t x2 = static_cast<uint32_t>(seed >> 32) ^ 0xAAAAAAAAu;
    for (int i = 0; i < 3; ++i) {
      s->s1[i] = static_cast<unsigned>((i == 1 ? x2 : x1) * s->s1[i] % curand_detail::mrg_m1);
      s->s2[i] = static_cast<unsigned>((i == 1 ? x1 : x2) * s->s2[i] % curand_detail::mrg_m2);
    }
  }
  skipahead_subsequence(subsequence, s);
  skipahead(offset, s);
}
__host__ __device__ inline unsigned int curand(curandStateMRG32k3a *s) {
  // Spread over 32 bits, as cuRAND's 32-bit results of this generator are.
  return static_cast<unsigned int>(curand_detail::mrg_next(s) * 1.000000048662207);
}
