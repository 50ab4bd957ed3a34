// PTX arithmetic, logic and comparison (PTX ISA, "Instruction Set").
#pragma once

#include "integer_math.h"
#include "ptx_values.h"

namespace cuda_emu {
namespace ptx {

template <class T> T add_values(T a, T b, Round round) {
  if constexpr (std::is_floating_point_v<T>) return rounded_add(a, b, round);
  else return __hadd(a, b);
}
template <class T> T multiply_values(T a, T b, Round round) {
  if constexpr (std::is_floating_point_v<T>) return rounded_multiply(a, b, round);
  else return __hmul(a, b);
}
template <class T> T fma_values(T a, T b, T c, Round round) {
  if constexpr (std::is_floating_point_v<T>) return rounded_fma(a, b, c, round);
  else return __hfma(a, b, c);
}
template <class T> T negative(T a) {
  if constexpr (std::is_floating_point_v<T>) return -a;
  else return __hneg(a);
}

// -- floating point: the mode says how to round, flush and clamp ---------------------------------
template <class T> Bits fadd(Bits a, Bits b, Mode m) {
  return by_parts<T>([&](auto x, auto y) { return add_values(x, y, m.round); }, m, a, b);
}
template <class T> Bits fsub(Bits a, Bits b, Mode m) {
  return by_parts<T>([&](auto x, auto y) { return add_values(x, negative(y), m.round); }, m, a, b);
}
template <class T> Bits fmul(Bits a, Bits b, Mode m) {
  return by_parts<T>([&](auto x, auto y) { return multiply_values(x, y, m.round); }, m, a, b);
}
template <class T> Bits ffma(Bits a, Bits b, Bits c, Mode m) {
  return by_parts<T>([&](auto x, auto y, auto z) { return fma_values(x, y, z, m.round); }, m, a, b, c);
}
template <class T> Bits fdiv(Bits a, Bits b, Mode m) {
  return by_parts<T>([&](auto x, auto y) { return rounded_divide(x, y, m.round); }, m, a, b);
}
// A NaN operand gives the other one, -0 is less than +0; the NaN forms pass a NaN on.
template <class T> Bits fminimum(Bits a, Bits b, bool nan, Mode m) {
  return by_parts<T>([&](auto x, auto y) -> decltype(x) {
    if (x != x || y != y) return nan ? (x != x ? x : y) : (x != x ? y : x);
    if (x == y) return std::signbit(static_cast<float>(x)) ? x : y;
    return x < y ? x : y;
  }, m, a, b);
}
template <class T> Bits fmaximum(Bits a, Bits b, bool nan, Mode m) {
  return by_parts<T>([&](auto x, auto y) -> decltype(x) {
    if (x != x || y != y) return nan ? (x != x ? x : y) : (x != x ? y : x);
    if (x == y) return std::signbit(static_cast<float>(x)) ? y : x;
    return x > y ? x : y;
  }, m, a, b);
}
template <class T> Bits fabsolute(Bits a, Mode m) {
  return by_parts<T>([](auto x) -> decltype(x) { return std::signbit(static_cast<float>(x)) ? negative(x) : x; }, m, a);
}
template <class T> Bits fnegate(Bits a, Mode m) {
  return by_parts<T>([](auto x) { return negative(x); }, m, a);
}
template <class T> Bits fcopysign(Bits a, Bits b) {
  return put<T>(std::copysign(get<T>(b), get<T>(a)));
}
// The approximate functions compute the accurate value: their error on a device is only bounded.
#define CUDA_EMU_PTX_UNARY(name, expression)                                                    \
  template <class T> Bits name(Bits a, Mode m) {                                                \
    return by_parts<T>([&](auto v) -> decltype(v) {                                             \
      double x = static_cast<double>(static_cast<std::conditional_t<is_low<decltype(v)>, float, decltype(v)>>(v)); \
      return decltype(v)(expression);                                                           \
    }, m, a);                                                                                   \
  }
CUDA_EMU_PTX_UNARY(rsqrt, 1.0 / std::sqrt(x))
CUDA_EMU_PTX_UNARY(sine, std::sin(x))
CUDA_EMU_PTX_UNARY(cosine, std::cos(x))
CUDA_EMU_PTX_UNARY(log2, std::log2(x))
CUDA_EMU_PTX_UNARY(exp2, std::exp2(x))
CUDA_EMU_PTX_UNARY(tanh, std::tanh(x))
#undef CUDA_EMU_PTX_UNARY
template <class T> Bits rcp(Bits a, Mode m) {
  return by_parts<T>([&](auto x) { return rounded_divide(decltype(x)(1), x, m.round); }, m, a);
}
template <class T> Bits sqrt(Bits a, Mode m) {
  return by_parts<T>([&](auto x) { return rounded_sqrt(x, m.round); }, m, a);
}

// -- integers --------------------------------------------------------------------------------------
template <class T> using Wide = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
    std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
template <class T> Wide<T> wide(Bits a) { return static_cast<Wide<T>>(get<T>(a)); }
template <class T> inline constexpr unsigned width = 8 * sizeof(T);

template <class T> Bits add(Bits a, Bits b) { return put<T>(static_cast<T>(a + b)); }
template <class T> Bits sub(Bits a, Bits b) { return put<T>(static_cast<T>(a - b)); }
template <class T> Bits clamped(Wide<T> v) {
  Wide<T> low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return put<T>(static_cast<T>(v < low ? low : v > high ? high : v));
}
template <class T> Bits add_sat(Bits a, Bits b) { return clamped<T>(wide<T>(a) + wide<T>(b)); }
template <class T> Bits sub_sat(Bits a, Bits b) { return clamped<T>(wide<T>(a) - wide<T>(b)); }
template <class T> Bits mul_lo(Bits a, Bits b) { return put<T>(static_cast<T>(a * b)); }
template <class T> Bits mul_hi(Bits a, Bits b) {
  return put<T>(static_cast<T>(wide<T>(a) * wide<T>(b) >> width<T>));
}
template <class T> Bits mul_wide(Bits a, Bits b) {
  return static_cast<Bits>(wide<T>(a) * wide<T>(b));
}
template <class T> Bits mad_lo(Bits a, Bits b, Bits c) { return add<T>(mul_lo<T>(a, b), c); }
template <class T> Bits mad_hi(Bits a, Bits b, Bits c) { return add<T>(mul_hi<T>(a, b), c); }
template <class T> Bits mad_wide(Bits a, Bits b, Bits c) { return mul_wide<T>(a, b) + c; }
template <class T> Bits mul24_lo(Bits a, Bits b) {
  if constexpr (std::is_signed_v<T>)
    return put<T>(__mul24(get<T>(a), get<T>(b)));
  else return put<T>(__umul24(get<T>(a), get<T>(b)));
}
template <class T> Bits mad24_lo(Bits a, Bits b, Bits c) { return add<T>(mul24_lo<T>(a, b), c); }
// Division by zero and the quotient out of range are unspecified; all ones is what devices give.
template <class T> Bits div(Bits a, Bits b) {
  T x = get<T>(a), y = get<T>(b);
  if (y == 0) return put<T>(static_cast<T>(-1));
  if (std::is_signed_v<T> && y == static_cast<T>(-1)) return put<T>(static_cast<T>(0 - a));
  return put<T>(static_cast<T>(x / y));
}
template <class T> Bits rem(Bits a, Bits b) {
  T x = get<T>(a), y = get<T>(b);
  if (y == 0) return put<T>(x);
  if (std::is_signed_v<T> && y == static_cast<T>(-1)) return 0;
  return put<T>(static_cast<T>(x % y));
}
template <class T> Bits minimum(Bits a, Bits b) { return put<T>(get<T>(a) < get<T>(b) ? get<T>(a) : get<T>(b)); }
template <class T> Bits maximum(Bits a, Bits b) { return put<T>(get<T>(a) > get<T>(b) ? get<T>(a) : get<T>(b)); }
template <class T> Bits absolute(Bits a) { return get<T>(a) < 0 ? put<T>(static_cast<T>(0 - a)) : put<T>(get<T>(a)); }
template <class T> Bits negate(Bits a) { return put<T>(static_cast<T>(0 - a)); }
template <class T> Bits sad(Bits a, Bits b, Bits c) {
  Wide<T> d = get<T>(a) < get<T>(b) ? wide<T>(b) - wide<T>(a) : wide<T>(a) - wide<T>(b);
  return add<T>(static_cast<Bits>(d), c);
}

// The carry flag outlives an asm statement: code for long numbers relies on it.
inline thread_local unsigned carry = 0;
template <class T> Bits add_carry(Bits a, Bits b, bool use, bool set) {
  typedef std::make_unsigned_t<T> U;
  unsigned __int128 sum = static_cast<unsigned __int128>(get<U>(a)) + get<U>(b) + (use ? carry : 0);
  if (set) carry = static_cast<unsigned>(sum >> width<T>) & 1u;
  return put<T>(static_cast<T>(sum));
}
template <class T> Bits sub_carry(Bits a, Bits b, bool use, bool set) {
  typedef std::make_unsigned_t<T> U;
  unsigned __int128 left = get<U>(a), right = static_cast<unsigned __int128>(get<U>(b)) + (use ? carry : 0);
  if (set) carry = left < right;
  return put<T>(static_cast<T>(left - right));
}

// -- bits ------------------------------------------------------------------------------------------
template <class T> Bits bit_and(Bits a, Bits b) { return put<T>(get<T>(a & b)); }
template <class T> Bits bit_or(Bits a, Bits b) { return put<T>(get<T>(a | b)); }
template <class T> Bits bit_xor(Bits a, Bits b) { return put<T>(get<T>(a ^ b)); }
template <class T> Bits bit_not(Bits a) {
  if constexpr (std::is_same_v<T, bool>) return !a;
  else return put<T>(static_cast<T>(~a));
}
template <class T> Bits cnot(Bits a) { return get<T>(a) == 0; }
// Shift amounts are 32-bit; larger ones than the width count as the width.
template <class T> Bits shl(Bits a, Bits b) {
  std::uint32_t by = get<std::uint32_t>(b);
  return by >= width<T> ? 0 : put<T>(static_cast<T>(static_cast<std::make_unsigned_t<T>>(get<T>(a)) << by));
}
template <class T> Bits shr(Bits a, Bits b) {
  std::uint32_t by = get<std::uint32_t>(b);
  if (by >= width<T>) return put<T>(static_cast<T>(get<T>(a) < 0 ? -1 : 0));
  return put<T>(static_cast<T>(get<T>(a) >> by));
}
inline Bits shf(Bits a, Bits b, Bits c, bool left, bool wrap) {
  auto low = get<std::uint32_t>(a), high = get<std::uint32_t>(b), by = get<std::uint32_t>(c);
  if (left) return wrap ? __funnelshift_l(low, high, by) : __funnelshift_lc(low, high, by);
  return wrap ? __funnelshift_r(low, high, by) : __funnelshift_rc(low, high, by);
}
// The four bytes' distances, added to `c` (PTX: vabsdiff4.u32.u32.u32.add).
inline Bits sum_of_distances(Bits a, Bits b, Bits c) {
  for (int byte = 0; byte < 4; ++byte) {
    const int x = static_cast<int>(a >> 8 * byte & 255), y = static_cast<int>(b >> 8 * byte & 255);
    c += static_cast<Bits>(x < y ? y - x : x - y);
  }
  return c & 0xffffffffu;
}
inline Bits lop3(Bits a, Bits b, Bits c, Bits table) {
  std::uint32_t out = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1)
      out |= (i & 4 ? static_cast<std::uint32_t>(a) : ~static_cast<std::uint32_t>(a)) &
             (i & 2 ? static_cast<std::uint32_t>(b) : ~static_cast<std::uint32_t>(b)) &
             (i & 1 ? static_cast<std::uint32_t>(c) : ~static_cast<std::uint32_t>(c));
  return out;
}
inline Bits prmt(Bits a, Bits b, Bits c) {
  return __byte_perm(get<std::uint32_t>(a), get<std::uint32_t>(b), get<std::uint32_t>(c));
}
template <class T> Bits popc(Bits a) { return static_cast<Bits>(__builtin_popcountll(put<T>(get<T>(a)))); }
template <class T> Bits clz(Bits a) {
  Bits v = put<T>(get<T>(a));
  return v ? static_cast<Bits>(__builtin_clzll(v)) - (64 - width<T>) : width<T>;
}
template <class T> Bits brev(Bits a) {
  if constexpr (sizeof(T) == 4) return __brev(get<std::uint32_t>(a));
  else return __brevll(a);
}
// Position of the most significant bit that is not a copy of the sign; all ones when there is none.
template <class T> Bits bfind(Bits a, bool shift_amount) {
  T v = get<T>(a);
  if (v < 0) v = static_cast<T>(~v);
  if (v == 0) return 0xFFFFFFFFu;
  unsigned at = 63u - static_cast<unsigned>(__builtin_clzll(static_cast<Bits>(v)));
  return shift_amount ? width<T> - 1 - at : at;
}
// PTX ISA, bfe: fields beyond the top repeat the sign for signed types.
template <class T> Bits bfe(Bits a, Bits b, Bits c) {
  unsigned at = b & 255u, length = c & 255u;
  T v = get<T>(a);
  if (length == 0) return 0;
  unsigned top = at + length - 1 < width<T> - 1 ? at + length - 1 : width<T> - 1;
  bool negative = std::is_signed_v<T> && (static_cast<Bits>(v) >> top & 1u);
  Bits field = at >= width<T> ? 0 : (static_cast<Bits>(put<std::make_unsigned_t<T>>(static_cast<std::make_unsigned_t<T>>(v))) >> at);
  Bits mask = length >= 64 ? ~Bits{0} : (Bits{1} << length) - 1;
  field &= mask;
  if (negative) {
    unsigned have = at >= width<T> ? 0 : top - at + 1;
    field |= have >= 64 ? 0 : ~Bits{0} << have;
  }
  return put<T>(static_cast<T>(field));
}
template <class T> Bits bfi(Bits a, Bits b, Bits c, Bits d) {
  unsigned at = c & 255u, length = d & 255u;
  if (at >= width<T> || length == 0) return put<T>(get<T>(b));
  Bits mask = (length >= 64 ? ~Bits{0} : (Bits{1} << length) - 1) << at;
  return put<T>(get<T>((b & ~mask) | (a << at & mask)));
}
inline Bits dp4a(Bits a, Bits b, Bits c, bool left_signed, bool right_signed) {
  std::uint32_t sum = get<std::uint32_t>(c);
  for (unsigned i = 0; i < 32; i += 8) {
    int x = left_signed ? static_cast<signed char>(a >> i) : static_cast<unsigned char>(a >> i);
    int y = right_signed ? static_cast<signed char>(b >> i) : static_cast<unsigned char>(b >> i);
    sum += static_cast<std::uint32_t>(x * y);
  }
  return left_signed || right_signed ? put<std::int32_t>(static_cast<std::int32_t>(sum)) : sum;
}
inline Bits dp2a(Bits a, Bits b, Bits c, bool left_signed, bool right_signed, bool high) {
  std::uint32_t sum = get<std::uint32_t>(c);
  for (unsigned i = 0; i < 2; ++i) {
    std::int64_t x = left_signed ? static_cast<std::int64_t>(static_cast<short>(a >> 16 * i))
                                 : static_cast<unsigned short>(a >> 16 * i);
    unsigned at = 8 * (i + (high ? 2 : 0));
    std::int64_t y = right_signed ? static_cast<std::int64_t>(static_cast<signed char>(b >> at))
                                  : static_cast<unsigned char>(b >> at);
    sum += static_cast<std::uint32_t>(x * y);
  }
  return left_signed || right_signed ? put<std::int32_t>(static_cast<std::int32_t>(sum)) : sum;
}

// -- comparison: ordered ones are false for NaN, the `u` forms true ----------------------------------
enum class Compare : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

template <class T> bool compare(Compare how, Bits left, Bits right, Mode mode = {}) {
  T a = get<T>(left), b = get<T>(right);
  bool unordered = false;
  if constexpr (is_real<T>) {
    a = flushed(a, mode);
    b = flushed(b, mode);
    unordered = a != a || b != b;
  } else (void)mode;
  switch (how) {
    case Compare::num: return !unordered;
    case Compare::nan: return unordered;
    case Compare::eq: return !unordered && a == b;
    case Compare::ne: return !unordered && a != b;
    case Compare::lt: return !unordered && a < b;
    case Compare::le: return !unordered && a <= b;
    case Compare::gt: return !unordered && a > b;
    case Compare::ge: return !unordered && a >= b;
    case Compare::equ: return unordered || a == b;
    case Compare::neu: return unordered || a != b;
    case Compare::ltu: return unordered || a < b;
    case Compare::leu: return unordered || a <= b;
    case Compare::gtu: return unordered || a > b;
    case Compare::geu: return unordered || a >= b;
  }
  return false;
}

}  // namespace ptx
}  // namespace cuda_emu
