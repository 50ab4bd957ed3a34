// Sobol' sequences in Gray code order (Antonov and Saleev, 1979): number i is the exclusive or of the
// direction vectors at the set bits of i's Gray code. Scrambled ones start at a constant.
#pragma once

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

struct curandStateSobol32 {
  unsigned int i, x, c;
  unsigned int direction_vectors[32];
};
struct curandStateScrambledSobol32 {
  unsigned int i, x, c;
  unsigned int direction_vectors[32];
};
struct curandStateSobol64 {
  unsigned long long i, x, c;
  unsigned long long direction_vectors[64];
};
struct curandStateScrambledSobol64 {
  unsigned long long i, x, c;
  unsigned long long direction_vectors[64];
};
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;

namespace curand_detail {

// The state after `n` numbers of the sequence.
template <int Bits, class State, class Word>
__host__ __device__ inline void sobol_start(const Word *directions, Word scramble, Word n, State *s) {
  s->i = n;
  s->c = scramble;
  s->x = scramble;
  Word gray = n ^ (n >> 1);
  for (int k = 0; k < Bits; ++k) {
    s->direction_vectors[k] = directions[k];
    if (gray >> k & 1) s->x ^= directions[k];
  }
}
template <int Bits, class Word, class State>
__host__ __device__ inline Word sobol_next(State *s) {
  Word value = s->x;
  int zero = 0;
  while (zero < Bits - 1 && (s->i >> zero & 1)) ++zero;
  s->x ^= s->direction_vectors[zero];
  s->i += 1;
  return value;
}
template <int Bits, class Word, class State>
__host__ __device__ inline void sobol_skip(Word n, State *s) {
  Word gray = (s->i + n) ^ ((s->i + n) >> 1);
  s->i += n;
  s->x = s->c;
  for (int k = 0; k < Bits; ++k)
    if (gray >> k & 1) s->x ^= s->direction_vectors[k];
}

}  // namespace curand_detail

__host__ __device__ inline void curand_init(unsigned int *directions, unsigned int offset,
                                            curandStateSobol32 *s) {
  curand_detail::sobol_start<32>(directions, 0u, offset, s);
}
__host__ __device__ inline void curand_init(unsigned int *directions, unsigned int scramble,
                                            unsigned int offset, curandStateScrambledSobol32 *s) {
  curand_detail::sobol_start<32>(directions, scramble, offset, s);
}
__host__ __device__ inline void curand_init(unsigned long long *directions, unsigned long long offset,
                                            curandStateSobol64 *s) {
  curand_detail::sobol_start<64>(directions, 0ull, offset, s);
}
__host__ __device__ inline void curand_init(unsigned long long *directions,
                                            unsigned long long scramble, unsigned long long offset,
                                            curandStateScrambledSobol64 *s) {
  curand_detail::sobol_start<64>(directions, scramble, offset, s);
}
__host__ __device__ inline unsigned int curand(curandStateSobol32 *s) {
  return curand_detail::sobol_next<32, unsigned int>(s);
}
__host__ __device__ inline unsigned int curand(curandStateScrambledSobol32 *s) {
  return curand_detail::sobol_next<32, unsigned int>(s);
}
__host__ __device__ inline unsigned long long curand(curandStateSobol64 *s) {
  return curand_detail::sobol_next<64, unsigned long long>(s);
}
__host__ __device__ inline unsigned long long curand(curandStateScrambledSobol64 *s) {
  return curand_detail::sobol_next<64, unsigned long long>(s);
}
__host__ __device__ inline void skipahead(unsigned int n, curandStateSobol32 *s) {
  curand_detail::sobol_skip<32>(n, s);
}
__host__ __device__ inline void skipahead(unsigned int n, curandStateScrambledSobol32 *s) {
  curand_detail::sobol_skip<32>(n, s);
}
__host__ __device__ inline void skipahead(unsigned long long n, curandStateSobol64 *s) {
  curand_detail::sobol_skip<64>(n, s);
}
__host__ __device__ inline void skipahead(unsigned long long n, curandStateScrambledSobol64 *s) {
  curand_detail::sobol_skip<64>(n, s);
}
