// The pattern of memory that nobody has written.
//
// Every 16-bit unit is 0xFFF5: a NaN as half, bfloat16, float and double, and an odd negative number
// as an integer. A value computed from it is visibly wrong, while zeros or tiny floats would hide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace cuda_emu {

inline constexpr std::uint64_t poison_word = 0xFFF5FFF5FFF5FFF5ull;

// What unwritten memory holds from now on. A run of a launch that asks whether its result depends on
// such memory sets another word (variants_impl.h).
inline std::uint64_t fresh_word = poison_word;

inline void poison(void *memory, std::size_t bytes) {
  auto *out = static_cast<unsigned char *>(memory);
  const std::uint64_t word = fresh_word;
  std::size_t i = 0;
  for (; i + 8 <= bytes; i += 8) std::memcpy(out + i, &word, 8);
  if (i < bytes) std::memcpy(out + i, &word, bytes - i);
}

// CUDAMIGRATE_FRESH_MEMORY=zero: memory starts as zeros, which programs that never write it often
// find on a device. Guards are poisoned all the same.
inline bool fresh_is_zero() {
  static const bool zero = [] {
    const char *text = std::getenv("CUDAMIGRATE_FRESH_MEMORY");
    return text && std::strcmp(text, "zero") == 0;
  }();
  return zero;
}
inline void fill_fresh(void *memory, std::size_t bytes) {
  if (fresh_is_zero() && fresh_word == poison_word) std::memset(memory, 0, bytes);
  else poison(memory, bytes);
}

// Guard zones hold ordinary numbers (1.4 as float and bfloat16, 1.9 as half) and poison in turns of
// 16 bytes, the ordinary ones next to the allocation: arithmetic on a NaN gives the same NaN, so a
// stray `p[n] = a * x + p[n]` on poison alone would leave no trace.
inline constexpr std::size_t guard_bytes = 256;  // also the alignment that CUDA promises
inline constexpr std::uint64_t ordinary_word = 0x3FB53FB53FB53FB5ull;

inline std::uint64_t guard_word(std::size_t offset) {
  constexpr std::size_t turns = guard_bytes / 16;
  std::size_t turn = offset / 16;
  if (turn >= turns / 2) turn = turns - 1 - turn;
  return turn % 2 ? poison_word : ordinary_word;
}
inline void fill_guard(void *memory) {
  for (std::size_t i = 0; i < guard_bytes; i += 8) {
    std::uint64_t word = guard_word(i);
    std::memcpy(static_cast<char *>(memory) + i, &word, 8);
  }
}
inline bool is_guard(const void *memory) {
  for (std::size_t i = 0; i < guard_bytes; i += 8) {
    std::uint64_t word = guard_word(i);
    if (std::memcmp(static_cast<const char *>(memory) + i, &word, 8) != 0) return false;
  }
  return true;
}

}  // namespace cuda_emu
