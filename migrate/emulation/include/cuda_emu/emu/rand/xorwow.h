// XORWOW (Marsaglia, "Xorshift RNGs", 2003) as cuRAND seeds and splits it: subsequences are 2^67 steps
// apart, and skipping ahead multiplies the state by a power of the step's matrix over GF(2).
#pragma once

#include <cstdint>
#include <vector>

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;

namespace cuda_emu {

inline constexpr std::uint32_t xorwow_weyl = 362437;

inline void xorwow_shift(std::uint32_t v[5]) {
  std::uint32_t t = v[0] ^ (v[0] >> 2);
  for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

// The images of the 160 unit vectors.
struct XorwowMatrix {
  std::uint32_t column[160][5];

  void apply(std::uint32_t v[5]) const {
    std::uint32_t out[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 160; ++i)
      if (v[i / 32] >> (i % 32) & 1u)
        for (int j = 0; j < 5; ++j) out[j] ^= column[i][j];
    for (int j = 0; j < 5; ++j) v[j] = out[j];
  }
};

// Powers 2^0 ... 2^130 of the step: 64 bits of offset, and 64 bits of subsequence above 2^67.
inline const std::vector<XorwowMatrix> &xorwow_powers() {
  static const auto *powers = [] {
    auto *made = new std::vector<XorwowMatrix>(131);
    for (int i = 0; i < 160; ++i) {
      std::uint32_t v[5] = {0, 0, 0, 0, 0};
      v[i / 32] = 1u << (i % 32);
      xorwow_shift(v);
      for (int j = 0; j < 5; ++j) (*made)[0].column[i][j] = v[j];
    }
    for (std::size_t k = 1; k < made->size(); ++k)
      for (int i = 0; i < 160; ++i) {
        std::uint32_t v[5];
        for (int j = 0; j < 5; ++j) v[j] = (*made)[k - 1].column[i][j];
        (*made)[k - 1].apply(v);
        for (int j = 0; j < 5; ++j) (*made)[k].column[i][j] = v[j];
      }
    return made;
  }();
  return *powers;
}

inline void xorwow_skip(std::uint32_t v[5], std::uint64_t count, unsigned first_power) {
  for (unsigned k = 0; count; ++k, count >>= 1)
    if (count & 1) xorwow_powers()[first_power + k].apply(v);
}

}  // namespace cuda_emu

inline unsigned int curand(curandStateXORWOW *s) {
  cuda_emu::xorwow_shift(s->v);
  s->d += cuda_emu::xorwow_weyl;
  return s->v[4] + s->d;
}
inline void skipahead(unsigned long long n, curandStateXORWOW *s) {
  cuda_emu::xorwow_skip(s->v, n, 0);
  s->d += static_cast<std::uint32_t>(n) * cuda_emu::xorwow_weyl;
}
// 2^67 steps leave the Weyl counter where it is.
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW *s) {
  cuda_emu::xorwow_skip(s->v, n, 67);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateXORWOW *s) {
  std::uint32_t s0 = static_cast<std::uint32_t>(seed) ^ 0xAAD26B49u;
  std::uint32_t s1 = static_cast<std::uint32_t>(seed >> 32) ^ 0xF7DCEFDDu;
  std::uint32_t t0 = 1099087573u * s0, t1 = 2591861531u * s1;
  *s = curandStateXORWOW{};
  s->d = 6615241u + t1 + t0;
  s->v[0] = 123456789u + t0;
  s->v[1] = 362436069u ^ t0;
  s->v[2] = 521288629u + t1;
  s->v[3] = 88675123u ^ t1;
  s->v[4] = 5783321u + t0;
  skipahead_sequence(subsequence, s);
  skipahead(offset, s);
}
