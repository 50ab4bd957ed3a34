// Shared memory as a window of small addresses: programs keep such an address in 32 bits.
//
// An address in the window is the offset into the block's arena, plus one page so that it is not
// null. Anything else is an ordinary pointer.
#pragma once

#include <cstdint>

#include "block.h"

namespace cuda_emu {

inline constexpr std::uint64_t shared_window_start = 4096;

inline bool in_arena(const void *pointer) {
  const Block &block = current_block();
  auto at = reinterpret_cast<std::uintptr_t>(pointer);
  auto start = reinterpret_cast<std::uintptr_t>(block.arena);
  return block.arena && at >= start && at < start + block.arena_bytes;
}
inline std::uint64_t to_shared_window(const void *pointer) {
  auto at = reinterpret_cast<std::uint64_t>(pointer);
  if (!in_kernel() || !in_arena(pointer)) return at;
  return at - reinterpret_cast<std::uint64_t>(current_block().arena) + shared_window_start;
}
inline void *from_shared_window(std::uint64_t address) {
  const Block &block = current_block();
  std::uint64_t offset = address - shared_window_start;
  if (block.arena && offset < block.arena_bytes) return block.arena + offset;
  return reinterpret_cast<void *>(address);
}

}  // namespace cuda_emu

template <class T> inline size_t __cvta_generic_to_shared(const T *p) {
  return cuda_emu::to_shared_window(p);
}
inline void *__cvta_shared_to_generic(size_t address) { return cuda_emu::from_shared_window(address); }
template <class T> inline unsigned __isShared(const T *p) {
  return cuda_emu::in_kernel() && cuda_emu::in_arena(p);
}
template <class T> inline unsigned __isGlobal(const T *p) { return !__isShared(p); }
