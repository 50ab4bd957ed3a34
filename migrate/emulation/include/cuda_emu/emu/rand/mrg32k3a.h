// MRG32k3a (L'Ecuyer, "Good parameters and implementations for combined multiple recursive random
// number generators", 1999). Subsequences are 2^76 steps apart.
#pragma once

#include <cstdint>

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

namespace cuda_emu {

inline constexpr std::uint64_t mrg_m1 = 4294967087u, mrg_m2 = 4294944443u;
inline constexpr double mrg_norm = 2.328306549295727688e-10;  // 1 / (m1 + 1)

struct MrgMatrix { std::uint64_t at[3][3]; };

inline MrgMatrix mrg_product(const MrgMatrix &a, const MrgMatrix &b, std::uint64_t m) {
  MrgMatrix out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      unsigned __int128 sum = 0;
      for (int k = 0; k < 3; ++k) sum += static_cast<unsigned __int128>(a.at[i][k]) * b.at[k][j];
      out.at[i][j] = static_cast<std::uint64_t>(sum % m);
    }
  return out;
}
// s = step^(count * 2^doublings) s
inline void mrg_skip(unsigned int s[3], MrgMatrix step, std::uint64_t m, std::uint64_t count,
                     unsigned doublings) {
  for (unsigned i = 0; i < doublings; ++i) step = mrg_product(step, step, m);
  for (; count; count >>= 1, step = mrg_product(step, step, m)) {
    if (!(count & 1)) continue;
    unsigned int next[3];
    for (int i = 0; i < 3; ++i) {
      unsigned __int128 sum = 0;
      for (int k = 0; k < 3; ++k) sum += static_cast<unsigned __int128>(step.at[i][k]) * s[k];
      next[i] = static_cast<unsigned>(sum % m);
    }
    for (int i = 0; i < 3; ++i) s[i] = next[i];
  }
}
inline void mrg_skip(curandStateMRG32k3a *s, std::uint64_t count, unsigned doublings) {
  mrg_skip(s->s1, MrgMatrix{{{0, 1, 0}, {0, 0, 1}, {mrg_m1 - 810728, 1403580, 0}}}, mrg_m1, count, doublings);
  mrg_skip(s->s2, MrgMatrix{{{0, 1, 0}, {0, 0, 1}, {mrg_m2 - 1370589, 0, 527612}}}, mrg_m2, count, doublings);
}
// A value in [1, m1].
inline std::uint32_t mrg_next(curandStateMRG32k3a *s) {
  std::uint64_t p1 = (1403580 * std::uint64_t{s->s1[1]} + (mrg_m1 - 810728) * std::uint64_t{s->s1[0]}) % mrg_m1;
  std::uint64_t p2 = (527612 * std::uint64_t{s->s2[2]} + (mrg_m2 - 1370589) * std::uint64_t{s->s2[0]}) % mrg_m2;
  s->s1[0] = s->s1[1], s->s1[1] = s->s1[2], s->s1[2] = static_cast<unsigned>(p1);
  s->s2[0] = s->s2[1], s->s2[1] = s->s2[2], s->s2[2] = static_cast<unsigned>(p2);
  return static_cast<std::uint32_t>(p1 > p2 ? p1 - p2 : p1 + mrg_m1 - p2);
}

}  // namespace cuda_emu

inline void skipahead(unsigned long long n, curandStateMRG32k3a *s) { cuda_emu::mrg_skip(s, n, 0); }
inline void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *s) { cuda_emu::mrg_skip(s, n, 76); }
inline void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *s) { cuda_emu::mrg_skip(s, n, 127); }
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateMRG32k3a *s) {
  *s = curandStateMRG32k3a{};
  for (int i = 0; i < 3; ++i) s->s1[i] = s->s2[i] = 12345u;
  if (seed) {
    std::uint64_t x1 = static_cast<std::uint32_t>(seed) ^ 0x55555555u;
    std::uint64_t x2 = static_cast<std::uint32_t>(seed >> 32) ^ 0xAAAAAAAAu;
    for (int i = 0; i < 3; ++i) {
      s->s1[i] = static_cast<unsigned>((i == 1 ? x2 : x1) * s->s1[i] % cuda_emu::mrg_m1);
      s->s2[i] = static_cast<unsigned>((i == 1 ? x1 : x2) * s->s2[i] % cuda_emu::mrg_m2);
    }
  }
  skipahead_subsequence(subsequence, s);
  skipahead(offset, s);
}
inline unsigned int curand(curandStateMRG32k3a *s) {
  // Spread over 32 bits, as cuRAND's 32-bit results of this generator are.
  return static_cast<unsigned int>(cuda_emu::mrg_next(s) * 1.000000048662207);
}
