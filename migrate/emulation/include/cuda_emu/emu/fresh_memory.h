// Large allocations: their pages take memory only when they are written.
//
// Fresh memory holds the pattern of poison.h. In a large allocation its pages are private mappings of
// one short file of that pattern, so what a program allocates and never uses costs nothing.
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "poison.h"

namespace cuda_emu {

inline constexpr std::size_t large_bytes = std::size_t{64} << 20;

inline char *take_large(std::size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char *>(memory);
}
inline void return_large(char *block, std::size_t bytes) { munmap(block, bytes); }

inline constexpr std::size_t pattern_bytes = std::size_t{8} << 20;

// The file of poison; -1 where there can be none.
inline int pattern_file() {
  static const int file = [] {
    rlimit most;  // growing a file past the limit would end the program
    if (getrlimit(RLIMIT_FSIZE, &most) || most.rlim_cur < pattern_bytes) return -1;
    int made = memfd_create("fresh", MFD_CLOEXEC);
    if (made < 0) return -1;
    void *pages = MAP_FAILED;
    if (ftruncate(made, pattern_bytes) == 0)
      pages = mmap(nullptr, pattern_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    if (pages == MAP_FAILED) return close(made), -1;
    poison(pages, pattern_bytes);
    munmap(pages, pattern_bytes);
    return made;
  }();
  return file;
}

// Makes pages of take_large() look unwritten. False: they have to be filled.
inline bool map_fresh(char *block, std::size_t bytes) {
  if (fresh_is_zero()) return true;  // as the system gives them
  const int file = pattern_file();
  if (file < 0) return false;
  for (std::size_t at = 0; at < bytes; at += pattern_bytes) {
    std::size_t part = std::min(pattern_bytes, bytes - at);
    if (mmap(block + at, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file,
             0) == MAP_FAILED)
      return false;
  }
  return true;
}

}  // namespace cuda_emu
