// Integer intrinsics and the overloads of min, max and abs that CUDA puts in the global namespace.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "vector_types.h"

// The overload set of CUDA's math_functions.hpp: mixed signedness takes the unsigned type.
#define CUDA_EMU_MINMAX(R, A, B)                                                                   \
  static inline constexpr R min(A a, B b) {                                                        \
    return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b);          \
  }                                                                                                \
  static inline constexpr R max(A a, B b) {                                                        \
    return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b);          \
  }
CUDA_EMU_MINMAX(int, int, int)
CUDA_EMU_MINMAX(unsigned int, unsigned int, unsigned int)
CUDA_EMU_MINMAX(unsigned int, int, unsigned int)
CUDA_EMU_MINMAX(unsigned int, unsigned int, int)
CUDA_EMU_MINMAX(long, long, long)
CUDA_EMU_MINMAX(unsigned long, unsigned long, unsigned long)
CUDA_EMU_MINMAX(unsigned long, long, unsigned long)
CUDA_EMU_MINMAX(unsigned long, unsigned long, long)
CUDA_EMU_MINMAX(long long, long long, long long)
CUDA_EMU_MINMAX(unsigned long long, unsigned long long, unsigned long long)
CUDA_EMU_MINMAX(unsigned long long, long long, unsigned long long)
CUDA_EMU_MINMAX(unsigned long long, unsigned long long, long long)
#undef CUDA_EMU_MINMAX
static inline float min(float a, float b) { return std::fmin(a, b); }
static inline float max(float a, float b) { return std::fmax(a, b); }
static inline double min(double a, double b) { return std::fmin(a, b); }
static inline double max(double a, double b) { return std::fmax(a, b); }
static inline double min(float a, double b) { return std::fmin(static_cast<double>(a), b); }
static inline double max(float a, double b) { return std::fmax(static_cast<double>(a), b); }
static inline double min(double a, float b) { return std::fmin(a, static_cast<double>(b)); }
static inline double max(double a, float b) { return std::fmax(a, static_cast<double>(b)); }

static inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
static inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
static inline long long llmin(long long a, long long b) { return min(a, b); }
static inline long long llmax(long long a, long long b) { return max(a, b); }
static inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
static inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
static inline int __clzll(long long x) {
  return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(x);
}
static inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
// Four bytes picked from eight; bit 3 of a selector replicates the byte's sign.
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  std::uint64_t both = static_cast<std::uint64_t>(y) << 32 | x;
  unsigned out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned pick = selector >> 4 * i & 15u;
    unsigned byte = static_cast<unsigned>(both >> 8 * (pick & 7u)) & 255u;
    if (pick & 8u) byte = byte & 128u ? 255u : 0u;
    out |= byte << 8 * i;
  }
  return out;
}
static inline int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<std::int64_t>(a) * b >> 32);
}
static inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
}
static inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
static inline int __mul24(int a, int b) {
  auto low = [](int v) { return static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(v) << 8) >> 8); };
  return static_cast<int>(static_cast<std::uint32_t>(low(a) * low(b)));
}
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xFFFFFFu) * (b & 0xFFFFFFu); }
static inline int mul24(int a, int b) { return __mul24(a, b); }
static inline unsigned umul24(unsigned a, unsigned b) { return __umul24(a, b); }
static inline int mulhi(int a, int b) { return __mulhi(a, b); }
static inline unsigned umulhi(unsigned a, unsigned b) { return __umulhi(a, b); }
static inline unsigned __sad(int a, int b, unsigned c) {
  return (a > b ? static_cast<unsigned>(a) - static_cast<unsigned>(b)
                : static_cast<unsigned>(b) - static_cast<unsigned>(a)) + c;
}
static inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
static inline int __hadd(int a, int b) {
  return static_cast<int>((static_cast<std::int64_t>(a) + b) >> 1);
}
static inline int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<std::int64_t>(a) + b + 1) >> 1);
}
static inline unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(a) + b) >> 1);
}
static inline unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(a) + b + 1) >> 1);
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  return static_cast<unsigned>(both << (shift & 31u) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  return static_cast<unsigned>(both >> (shift & 31u));
}
static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  return shift >= 32 ? low : static_cast<unsigned>(both << shift >> 32);
}
static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  return shift >= 32 ? high : static_cast<unsigned>(both >> shift);
}
static inline unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return mask >> (base & 31u) & 1u ? base : 0xFFFFFFFFu;
  int step = offset > 0 ? 1 : -1, left = offset > 0 ? offset : -offset;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step)
    if (mask >> at & 1u && --left == 0) return static_cast<unsigned>(at);
  return 0xFFFFFFFFu;
}

namespace cuda_emu {
template <class A, class B, class C>
C dot_bytes(std::uint32_t a, std::uint32_t b, C c) {
  auto sum = static_cast<std::uint32_t>(c);
  for (int i = 0; i < 4; ++i)
    sum += static_cast<std::uint32_t>(static_cast<int>(static_cast<A>(a >> 8 * i)) *
                                      static_cast<int>(static_cast<B>(b >> 8 * i)));
  return static_cast<C>(sum);
}
}  // namespace cuda_emu
static inline int __dp4a(int a, int b, int c) {
  return cuda_emu::dot_bytes<signed char, signed char>(static_cast<unsigned>(a), static_cast<unsigned>(b), c);
}
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  return cuda_emu::dot_bytes<unsigned char, unsigned char>(a, b, c);
}
static inline int __dp4a(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
static inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return c + static_cast<unsigned>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}
static inline int __dp2a_lo(int a, int b, int c) {
  return c + static_cast<short>(a) * static_cast<signed char>(b) +
         (a >> 16) * static_cast<signed char>(b >> 8);
}
static inline int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }

// Per-byte and per-half-word operations (SIMD in a word).
namespace cuda_emu {
template <unsigned Width, class Operation>
unsigned by_lanes(unsigned a, unsigned b, Operation operation) {
  constexpr unsigned mask = (1u << Width) - 1u;
  unsigned out = 0;
  for (unsigned at = 0; at < 32; at += Width)
    out |= (static_cast<unsigned>(operation(a >> at & mask, b >> at & mask)) & mask) << at;
  return out;
}
inline int sext(unsigned v, unsigned width) {
  return static_cast<int>(v << (32 - width)) >> (32 - width);
}
inline int clamp_int(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
}  // namespace cuda_emu
#define CUDA_EMU_LANES(suffix, W)                                                                  \
  static inline unsigned __vadd##suffix(unsigned a, unsigned b) {                                  \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) { return x + y; });              \
  }                                                                                                \
  static inline unsigned __vsub##suffix(unsigned a, unsigned b) {                                  \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) { return x - y; });              \
  }                                                                                                \
  static inline unsigned __vaddss##suffix(unsigned a, unsigned b) {                                \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) {                                \
      return cuda_emu::clamp_int(cuda_emu::sext(x, W) + cuda_emu::sext(y, W), -(1 << (W - 1)),     \
                                 (1 << (W - 1)) - 1);                                              \
    });                                                                                            \
  }                                                                                                \
  static inline unsigned __vsubss##suffix(unsigned a, unsigned b) {                                \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) {                                \
      return cuda_emu::clamp_int(cuda_emu::sext(x, W) - cuda_emu::sext(y, W), -(1 << (W - 1)),     \
                                 (1 << (W - 1)) - 1);                                              \
    });                                                                                            \
  }                                                                                                \
  static inline unsigned __vmaxu##suffix(unsigned a, unsigned b) {                                 \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) { return x > y ? x : y; });      \
  }                                                                                                \
  static inline unsigned __vminu##suffix(unsigned a, unsigned b) {                                 \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) { return x < y ? x : y; });      \
  }                                                                                                \
  static inline unsigned __vmaxs##suffix(unsigned a, unsigned b) {                                 \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) {                                \
      return cuda_emu::sext(x, W) > cuda_emu::sext(y, W) ? x : y;                                  \
    });                                                                                            \
  }                                                                                                \
  static inline unsigned __vmins##suffix(unsigned a, unsigned b) {                                 \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) {                                \
      return cuda_emu::sext(x, W) < cuda_emu::sext(y, W) ? x : y;                                  \
    });                                                                                            \
  }                                                                                                \
  static inline unsigned __vabsdiffu##suffix(unsigned a, unsigned b) {                             \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) { return x > y ? x - y : y - x; }); \
  }                                                                                                \
  static inline unsigned __vcmpeq##suffix(unsigned a, unsigned b) {                                \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) { return x == y ? ~0u : 0u; });  \
  }                                                                                                \
  static inline unsigned __vcmpne##suffix(unsigned a, unsigned b) {                                \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) { return x != y ? ~0u : 0u; });  \
  }                                                                                                \
  static inline unsigned __vcmpgtu##suffix(unsigned a, unsigned b) {                               \
    return cuda_emu::by_lanes<W>(a, b, [](unsigned x, unsigned y) { return x > y ? ~0u : 0u; });   \
  }
CUDA_EMU_LANES(2, 16)
CUDA_EMU_LANES(4, 8)
#undef CUDA_EMU_LANES
