// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): a counter of 128
// bits, encrypted. The subsequence is the upper half of the counter, the offset the lower.
#pragma once

#include <stdint.h>

#include "vector_types.h"

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  unsigned long long boxmuller_extra_double;  // the bits of a double
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

__host__ __device__ inline uint4 curand_Philox4x32_10(uint4 c, uint2 k) {
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t{0xD2511F53u} * c.x, b = uint64_t{0xCD9E8D57u} * c.z;
    c = uint4{static_cast<unsigned>(b >> 32) ^ c.y ^ k.x, static_cast<unsigned>(b),
              static_cast<unsigned>(a >> 32) ^ c.w ^ k.y, static_cast<unsigned>(a)};
    k.x += 0x9E3779B9u;
    k.y += 0xBB67AE85u;
  }
  return c;
}

namespace curand_detail {
__host__ __device__ inline void philox_advance(uint4 *c, uint64_t n) {
  uint64_t low = (uint64_t{c->y} << 32 | c->x) + n;
  if (low < n && ++c->z == 0) ++c->w;
  c->x = static_cast<unsigned>(low);
  c->y = static_cast<unsigned>(low >> 32);
}
__host__ __device__ inline unsigned philox_word(const uint4 &v, unsigned i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}
}  // namespace curand_detail

__host__ __device__ inline void skipahead(unsigned long long n, curandStatePhilox4_32_10 *s) {
  s->STATE += static_cast<unsigned>(n & 3);
  n /= 4;
  if (s->STATE > 3) {
    ++n;
    s->STATE -= 4;
  }
  curand_detail::philox_advance(&s->ctr, n);
  s->output = curand_Philox4x32_10(s->ctr, s->key);
}
__host__ __device__ inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *s) {
  uint64_t high = (uint64_t{s->ctr.w} << 32 | s->ctr.z) + n;
  s->ctr.z = static_cast<unsigned>(high);
  s->ctr.w = static_cast<unsigned>(high >> 32);
  s->output = curand_Philox4x32_10(s->ctr, s->key);
}
__host__ __device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStatePhilox4_32_10 *s) {
  s->ctr = uint4{0, 0, 0, 0};
  s->STATE = 0;
  s->boxmuller_flag = 0;
  s->boxmuller_flag_double = 0;
  s->boxmuller_extra = 0.0f;
  s->boxmuller_extra_double = 0;
  s->key = uint2{static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)};
  skipahead_sequence(subsequence, s);
  skipahead(offset, s);
}
__host__ __device__ inline unsigned int curand(curandStatePhilox4_32_10 *s) {
  unsigned value = curand_detail::philox_word(s->output, s->STATE++);
  if (s->STATE == 4) {
    curand_detail::philox_advance(&s->ctr, 1);
    s->output = curand_Philox4x32_10(s->ctr, s->key);
    s->STATE = 0;
  }
  return value;
}
__host__ __device__ inline uint4 curand4(curandStatePhilox4_32_10 *s) {
  uint4 before = s->output;
  curand_detail::philox_advance(&s->ctr, 1);
  s->output = curand_Philox4x32_10(s->ctr, s->key);
  unsigned words[4];
  for (unsigned i = 0; i < 4; ++i) {
    unsigned at = s->STATE + i;
    words[i] = at < 4 ? curand_detail::philox_word(before, at) : curand_detail::philox_word(s->output, at - 4);
  }
  return uint4{words[0], words[1], words[2], words[3]};
}
