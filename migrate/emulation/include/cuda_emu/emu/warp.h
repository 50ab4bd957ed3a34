// Warp-level functions: shuffles, votes, matches, reductions.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "block.h"

namespace cuda_emu {

inline constexpr std::uint32_t full_warp = 0xFFFFFFFFu;

// Values of up to 8 bytes travel as they are, larger ones in pieces.
template <class T>
T shuffle(WarpKind kind, std::uint32_t mask, bool lenient, T value, unsigned parameter,
          unsigned width) {
  static_assert(std::is_trivially_copyable_v<T>, "only plain values can be shuffled");
  unsigned char bytes[(sizeof(T) + 7) / 8 * 8] = {};
  std::memcpy(bytes, &value, sizeof(T));
  for (std::size_t at = 0; at < sizeof bytes; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes + at, 8);
    word = warp_operation(kind, mask, lenient, word, parameter, width);
    std::memcpy(bytes + at, &word, 8);
  }
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

inline int vote(WarpKind kind, std::uint32_t mask, bool lenient, int predicate) {
  return static_cast<int>(warp_operation(kind, mask, lenient, predicate != 0, 0, 32));
}

template <class T>
std::uint64_t match_bits(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "match takes 4- and 8-byte values");
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  return word;
}

inline std::uint32_t reduce(WarpKind kind, std::uint32_t mask, std::uint32_t value) {
  return static_cast<std::uint32_t>(warp_operation(kind, mask, false, value, 0, 32));
}

}  // namespace cuda_emu

#define CUDA_EMU_SHUFFLE(suffix, kind, Param)                                                      \
  template <class T>                                                                               \
  T __shfl##suffix##_sync(unsigned mask, T value, Param parameter, int width = 32) {               \
    return cuda_emu::shuffle(cuda_emu::WarpKind::kind, mask, false, value,                         \
                             static_cast<unsigned>(parameter), static_cast<unsigned>(width));      \
  }                                                                                                \
  template <class T>                                                                               \
  T __shfl##suffix(T value, Param parameter, int width = 32) {                                     \
    return cuda_emu::shuffle(cuda_emu::WarpKind::kind, cuda_emu::full_warp, true, value,           \
                             static_cast<unsigned>(parameter), static_cast<unsigned>(width));      \
  }
CUDA_EMU_SHUFFLE(, shfl_idx, int)
CUDA_EMU_SHUFFLE(_up, shfl_up, unsigned)
CUDA_EMU_SHUFFLE(_down, shfl_down, unsigned)
CUDA_EMU_SHUFFLE(_xor, shfl_xor, int)
#undef CUDA_EMU_SHUFFLE

inline void __syncwarp(unsigned mask = 0xFFFFFFFFu) {
  cuda_emu::warp_operation(cuda_emu::WarpKind::sync, mask, false, 0, 0, 32);
}
inline unsigned __activemask() {
  return static_cast<unsigned>(
      cuda_emu::warp_operation(cuda_emu::WarpKind::active, cuda_emu::full_warp, true, 0, 0, 32));
}
inline int __all_sync(unsigned mask, int p) {
  return cuda_emu::vote(cuda_emu::WarpKind::all, mask, false, p);
}
inline int __any_sync(unsigned mask, int p) {
  return cuda_emu::vote(cuda_emu::WarpKind::any, mask, false, p);
}
inline unsigned __ballot_sync(unsigned mask, int p) {
  return static_cast<unsigned>(cuda_emu::vote(cuda_emu::WarpKind::ballot, mask, false, p));
}
inline int __all(int p) { return cuda_emu::vote(cuda_emu::WarpKind::all, ~0u, true, p); }
inline int __any(int p) { return cuda_emu::vote(cuda_emu::WarpKind::any, ~0u, true, p); }
inline unsigned __ballot(int p) {
  return static_cast<unsigned>(cuda_emu::vote(cuda_emu::WarpKind::ballot, ~0u, true, p));
}
template <class T>
unsigned __match_any_sync(unsigned mask, T value) {
  return static_cast<unsigned>(cuda_emu::warp_operation(
      cuda_emu::WarpKind::match_any, mask, false, cuda_emu::match_bits(value), 0, 32));
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int *predicate) {
  unsigned same = static_cast<unsigned>(cuda_emu::warp_operation(
      cuda_emu::WarpKind::match_all, mask, false, cuda_emu::match_bits(value), 0, 32));
  *predicate = same != 0;
  return same;
}

inline unsigned __reduce_add_sync(unsigned mask, unsigned v) {
  return cuda_emu::reduce(cuda_emu::WarpKind::add, mask, v);
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned v) {
  return cuda_emu::reduce(cuda_emu::WarpKind::min_u, mask, v);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned v) {
  return cuda_emu::reduce(cuda_emu::WarpKind::max_u, mask, v);
}
inline int __reduce_add_sync(unsigned mask, int v) {
  return static_cast<int>(
      cuda_emu::reduce(cuda_emu::WarpKind::add, mask, static_cast<unsigned>(v)));
}
inline int __reduce_min_sync(unsigned mask, int v) {
  return static_cast<int>(
      cuda_emu::reduce(cuda_emu::WarpKind::min_s, mask, static_cast<unsigned>(v)));
}
inline int __reduce_max_sync(unsigned mask, int v) {
  return static_cast<int>(
      cuda_emu::reduce(cuda_emu::WarpKind::max_s, mask, static_cast<unsigned>(v)));
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned v) {
  return cuda_emu::reduce(cuda_emu::WarpKind::and_, mask, v);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned v) {
  return cuda_emu::reduce(cuda_emu::WarpKind::or_, mask, v);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned v) {
  return cuda_emu::reduce(cuda_emu::WarpKind::xor_, mask, v);
}
