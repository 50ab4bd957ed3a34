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

inline void poison(void *memory, std::size_t bytes) {
  auto *out = static_cast<unsigned char *>(memory);
  std::size_t i = 0;
  for (; i + 8 <= bytes; i += 8) std::memcpy(out + i, &poison_word, 8);
  if (i < bytes) std::memcpy(out + i, &poison_word, bytes - i);
}

// CUDAMIGRATE_FRESH_MEMORY=zero: memory starts as zeros, which programs that never write it often
// find on a device. Guards are poisoned all the same.
inline void fill_fresh(void *memory, std::size_t bytes) {
  static const bool zero = [] {
    const char *text = std::getenv("CUDAMIGRATE_FRESH_MEMORY");
    return text && std::strcmp(text, "zero") == 0;
  }();
  if (zero) std::memset(memory, 0, bytes);
  else poison(memory, bytes);
}

inline bool is_poison(const void *memory, std::size_t bytes) {
  auto *in = static_cast<const unsigned char *>(memory);
  for (std::size_t i = 0; i < bytes; ++i)
    if (in[i] != (i % 2 ? 0xFF : 0xF5)) return false;
  return true;
}

}  // namespace cuda_emu
