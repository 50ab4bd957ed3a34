// XORWOW (Marsaglia, "Xorshift RNGs", 2003) as cuRAND seeds and splits it: subsequences are 2^67 steps
// apart, and the Weyl counter is added to every number.
#pragma once

#include "xorwow_jumps.h"

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  unsigned long long boxmuller_extra_double;  // the bits of a double
};
typedef struct curandStateXORWOW curandStateXORWOW_t;

namespace curand_detail {

__host__ __device__ inline void xorwow_shift(unsigned int *v) {
  unsigned int t = v[0] ^ (v[0] >> 2);
  for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
// Moves a state on by count * 2^first_power steps.
__host__ __device__ inline void xorwow_skip(unsigned int *v, unsigned long long count,
                                            unsigned int first_power) {
  for (unsigned int k = first_power; count; ++k, count >>= 1) {
    if (!(count & 1)) continue;
    unsigned int out[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 160; ++i) {
      if (xorwow_jumps[k][i / 32] >> (i % 32) & 1u)
        for (int j = 0; j < 5; ++j) out[j] ^= v[j];
      xorwow_shift(v);
    }
    for (int j = 0; j < 5; ++j) v[j] = out[j];
  }
}

}  // namespace curand_detail

__host__ __device__ inline unsigned int curand(curandStateXORWOW *s) {
  curand_detail::xorwow_shift(s->v);
  s->d += 362437u;
  return s->v[4] + s->d;
}
__host__ __device__ inline void skipahead(unsigned long long n, curandStateXORWOW *s) {
  curand_detail::xorwow_skip(s->v, n, 0);
  s->d += (unsigned int)n * 362437u;
}
// 2^67 steps leave the Weyl counter where it is.
__host__ __device__ inline void skipahead_sequence(unsigned long long n, curandStateXORWOW *s) {
  curand_detail::xorwow_skip(s->v, n, 67);
}
__host__ __device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                                            unsigned long long offset, curandStateXORWOW *s) {
  unsigned int s0 = (unsigned int)seed ^ 0xAAD26B49u;
  unsigned int s1 = (unsigned int)(seed >> 32) ^ 0xF7DCEFDDu;
  unsigned int t0 = 1099087573u * s0, t1 = 2591861531u * s1;
  s->d = 6615241u + t1 + t0;
  s->v[0] = 123456789u + t0;
  s->v[1] = 362436069u ^ t0;
  s->v[2] = 521288629u + t1;
  s->v[3] = 88675123u ^ t1;
  s->v[4] = 5783321u + t0;
  s->boxmuller_flag = 0;
  s->boxmuller_flag_double = 0;
  s->boxmuller_extra = 0.0f;
  s->boxmuller_extra_double = 0;
  skipahead_sequence(subsequence, s);
  skipahead(offset, s);
}
