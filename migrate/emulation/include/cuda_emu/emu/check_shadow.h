// Shadow memory of the checks: what is known about every byte that a kernel may touch.
//
// Device memory and the blocks' shared memory come from one reserved range (the heap). Device
// variables and registered host memory have shadows of their own. A byte of state stands for each
// byte, a granule of records for every four.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "check_hooks.h"

namespace cuda_emu {
namespace check {

enum State : std::uint8_t {
  there = 1,        // inside an allocation
  written = 2,
  host_may = 4,     // managed or pinned: the host may use it as well
  freed = 8,
  in_shared = 16,
};

// One access: who made it and when. All zero: none.
struct Record {
  std::uint32_t pc = 0;     // return address less the image's base; releases in the top 4 bits
  std::uint32_t block = 0;
  std::uint32_t who = 0;    // thread 10, barriers of the block 12, bytes 4, flags 3
  std::uint32_t when = 0;   // phase 13, clock of the lane 19
};
struct Granule {
  Record write, read, other_read;  // the two reads are of different threads
};

struct Shadow {
  std::uintptr_t base = 0;
  std::size_t bytes = 0;
  std::uint8_t *state = nullptr;
  Granule *granules = nullptr;
  bool holds(std::uintptr_t address) const { return address - base < bytes; }
};

// What the checks look for; CUDAMIGRATE_CHECK holds the names, comma separated.
struct Wanted {
  bool memory = false, race = false, init = false, leak = false;
  Wanted() {
    const char *text = std::getenv("CUDAMIGRATE_CHECK");
    if (!text) return;
    memory = std::strstr(text, "memory");
    race = std::strstr(text, "race");
    init = std::strstr(text, "init");
    leak = std::strstr(text, "leak");
  }
};
inline const Wanted &wanted() {
  static const Wanted w;
  return w;
}

template <class T>
T *reserve(std::size_t count) {
  void *memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<T *>(memory);
}

inline bool fill_shadow(Shadow &shadow, std::size_t bytes) {
  shadow.bytes = bytes;
  shadow.state = reserve<std::uint8_t>(bytes + 16);
  if (wanted().race) shadow.granules = reserve<Granule>(bytes / 4 + 4);
  return shadow.state && (shadow.granules || !wanted().race);
}

inline Shadow heap;                  // constant-initialised: usable before any constructor ran
inline std::map<std::uintptr_t, Shadow> *others = nullptr;  // by base
inline std::uintptr_t others_low = 0, others_high = 0;

// The reserved range, from CUDAMIGRATE_CHECK_HEAP_MB (default 8 GiB), less when that much address
// space cannot be had.
inline void open_heap() {
  if (heap.base) return;
  const char *text = std::getenv("CUDAMIGRATE_CHECK_HEAP_MB");
  std::size_t bytes = (text ? std::strtoull(text, nullptr, 10) : 8192) << 20;
  for (; bytes >= std::size_t{64} << 20; bytes /= 2) {
    char *memory = reserve<char>(bytes);
    Shadow made;
    if (memory && fill_shadow(made, bytes)) {
      made.base = reinterpret_cast<std::uintptr_t>(memory);
      heap = made;
      return;
    }
    if (memory) munmap(memory, bytes);
    if (made.state) munmap(made.state, bytes + 16);
  }
  std::fprintf(stderr, "cuda_emu: no address space for the checks\n");
  std::_Exit(3);
}

// Hands out the heap from its start; freed memory is used again only when the end is reached, so
// that a use after free is seen as one for as long as possible.
class Space {
 public:
  char *take(std::size_t bytes) {
    open_heap();
    std::size_t gap = bytes / 4 < 4096 ? 4096 : bytes / 4 > (1u << 20) ? 1u << 20 : bytes / 4;
    std::size_t whole = (bytes + gap + 255) / 256 * 256;
    if (whole > heap.bytes - next_) return recycle(whole);
    std::size_t at = next_;
    next_ += whole;
    return reinterpret_cast<char *>(heap.base + at);
  }
  void give(char *block, std::size_t bytes) {
    std::uintptr_t at = reinterpret_cast<std::uintptr_t>(block) - heap.base;
    std::size_t gap = bytes / 4 < 4096 ? 4096 : bytes / 4 > (1u << 20) ? 1u << 20 : bytes / 4;
    std::size_t whole = (bytes + gap + 255) / 256 * 256;
    auto after = free_.lower_bound(at);
    if (after != free_.end() && at + whole == after->first) {
      whole += after->second;
      after = free_.erase(after);
    }
    if (after != free_.begin() && std::prev(after)->first + std::prev(after)->second == at)
      std::prev(after)->second += whole;
    else free_[at] = whole;
  }

 private:
  char *recycle(std::size_t whole) {
    for (auto at = free_.begin(); at != free_.end(); ++at) {
      if (at->second < whole) continue;
      std::uintptr_t start = at->first;
      std::size_t left = at->second - whole;
      free_.erase(at);
      if (left) free_[start + whole] = left;
      std::memset(heap.state + start, 0, whole);
      return reinterpret_cast<char *>(heap.base + start);
    }
    return nullptr;
  }
  std::size_t next_ = 4096;
  std::map<std::uintptr_t, std::size_t> free_;
};

inline Space &space() {
  static Space *made = new Space;
  return *made;
}

inline Shadow *shadow_of(std::uintptr_t address) {
  if (heap.holds(address)) return &heap;
  if (address < others_low || address >= others_high) return nullptr;
  auto at = others->upper_bound(address);
  if (at == others->begin()) return nullptr;
  Shadow &found = (--at)->second;
  return found.holds(address) ? &found : nullptr;
}

inline void mark(std::uintptr_t address, std::size_t bytes, std::uint8_t state) {
  if (Shadow *s = shadow_of(address)) std::memset(s->state + (address - s->base), state, bytes);
}

// Memory that the runtime did not allocate: device variables, registered host memory.
inline void add_shadow(std::uintptr_t base, std::size_t bytes, std::uint8_t state) {
  if (!bytes) return;
  if (!others) others = new std::map<std::uintptr_t, Shadow>;
  Shadow made;
  if (!fill_shadow(made, bytes)) return;
  made.base = base;
  std::memset(made.state, state, bytes);
  (*others)[base] = made;
  if (!others_low || base < others_low) others_low = base;
  if (base + bytes > others_high) others_high = base + bytes;
}

// Forgets every access: when the phase counter starts again, stale records must not look new.
inline void clear_records() {
  if (heap.granules) madvise(heap.granules, (heap.bytes / 4) * sizeof(Granule), MADV_DONTNEED);
  if (!others) return;
  for (auto &entry : *others)
    if (entry.second.granules)
      std::memset(static_cast<void *>(entry.second.granules), 0,
                  (entry.second.bytes / 4 + 4) * sizeof(Granule));
}

}  // namespace check
}  // namespace cuda_emu
