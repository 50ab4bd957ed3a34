// One access by instrumented code: is it inside an allocation, was the memory written, is it ordered?
#pragma once

#include "check_race.h"

namespace cuda_emu {
namespace check {

inline bool all_of(const std::uint8_t *state, unsigned bytes, std::uint8_t bits) {
  std::uint64_t wide = bits * 0x0101010101010101ull;
  switch (bytes) {
    case 1: return (*state & bits) == bits;
    case 2: { std::uint16_t w; std::memcpy(&w, state, 2);
      return (w & static_cast<std::uint16_t>(wide)) == static_cast<std::uint16_t>(wide); }
    case 4: { std::uint32_t w; std::memcpy(&w, state, 4);
      return (w & static_cast<std::uint32_t>(wide)) == static_cast<std::uint32_t>(wide); }
    case 8: { std::uint64_t w; std::memcpy(&w, state, 8); return (w & wide) == wide; }
    default:
      for (unsigned i = 0; i < bytes; ++i)
        if ((state[i] & bits) != bits) return false;
      return true;
  }
}

// Code that the checks do not see (libraries) may have written: the poison is gone then.
inline bool still_poison(std::uintptr_t address, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    if (*reinterpret_cast<unsigned char *>(address + i) != ((address + i) % 2 ? 0xFF : 0xF5))
      return false;
  return true;
}

inline void set_written(std::uint8_t *state, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) state[i] |= written;
}

inline void report_access(const char *kind, std::uintptr_t address, unsigned bytes, bool write,
                          const void *pc) {
  Busy guard;
  if (!first_time(kind, short_pc(pc))) return;
  Line line(kind);
  line.chain("pc", call_chain(pc));
  line.text("access", write ? "write" : "read");
  line.number("bytes", bytes);
  add_place(line);
  add_address(line, address);
  write_line(line.done());
}

// The state of some byte is not what the access needs. False: it must not be looked at further.
inline bool look_closer(Shadow &s, std::size_t offset, unsigned bytes, bool write, bool reads,
                        const void *pc) {
  std::uint8_t *state = s.state + offset;
  std::uintptr_t address = s.base + offset;
  for (unsigned i = 0; i < bytes; ++i) {
    if (state[i] & there) continue;
    if (wanted().memory) {
      bool gone = state[i] & freed;
      bool shared = now.block && !now.block->shared.empty() &&
                    address - reinterpret_cast<std::uintptr_t>(now.block->shared[0].first) <
                        (std::size_t{512} << 10);
      report_access(gone ? "use-after-free" : shared ? "shared-bounds" : "global-bounds", address,
                    bytes, write, pc);
    }
    return false;
  }
  if (!reads) return true;
  for (unsigned i = 0; i < bytes; ++i)
    if (state[i] & written) return true;  // padding of a structure that is copied as a whole
  if (!still_poison(address, bytes)) {
    set_written(state, bytes);
    return true;
  }
  if (wanted().init)
    report_access(*state & in_shared ? "unwritten-shared" : "unwritten", address, bytes, write, pc);
  return true;
}

inline void kernel_access(Shadow &s, std::uintptr_t address, unsigned bytes, bool write, bool reads,
                          std::uint32_t flags, const void *pc) {
  settle(!write);
  std::size_t offset = address - s.base;
  if (__builtin_expect(!all_of(s.state + offset, bytes, reads ? there | written : there), 0) &&
      !look_closer(s, offset, bytes, write, reads, pc))
    return;
  if (s.granules && bytes <= 16 && now.block) race_access(s, offset, bytes, write, flags, pc);
  if (write) set_written(s.state + offset, bytes);
}

inline void host_access(std::uintptr_t address, std::size_t bytes, bool write, const void *pc) {
  Shadow &s = heap;
  std::uint8_t *state = s.state + (address - s.base);
  bool allowed = true;
  for (std::size_t i = 0; i < bytes; ++i) {
    if ((state[i] & (there | host_may)) != (there | host_may)) allowed = false;
    if (write && state[i] & there) state[i] |= written;
  }
  if (!allowed && wanted().memory && !busy)
    report_access(*state & there ? "device-on-host" : *state & freed ? "use-after-free"
                                                                     : "global-bounds",
                  address, static_cast<unsigned>(bytes), write, pc);
}

struct Range { std::uintptr_t low = 0, high = 0; };
inline Range thread_local_range() {
  static thread_local Range range = [] {
    Range made;
    dl_iterate_phdr(
        [](dl_phdr_info *info, std::size_t, void *out) {
          auto &r = *static_cast<Range *>(out);
          for (int i = 0; i < info->dlpi_phnum; ++i)
            if (info->dlpi_phdr[i].p_type == PT_TLS && info->dlpi_tls_data) {
              r.low = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
              r.high = r.low + info->dlpi_phdr[i].p_memsz;
            }
          return 1;
        },
        &made);
    return made;
  }();
  return range;
}

// What kernels got from malloc or new: ordinary memory, not looked at further.
inline std::map<std::uintptr_t, std::size_t> *kernel_heap = nullptr;
inline bool in_kernel_heap(std::uintptr_t address) {
  if (!kernel_heap) return false;
  auto at = kernel_heap->upper_bound(address);
  return at != kernel_heap->begin() && (--at, address - at->first < at->second);
}

// Whether the address is memory of the host program: its heap or a stack, not a file's mapping.
inline const char *host_memory_kind(std::uintptr_t address) {
  std::FILE *maps = std::fopen("/proc/self/maps", "r");
  if (!maps) return "unknown";
  char line[512];
  const char *found = "unmapped";
  while (std::fgets(line, sizeof line, maps)) {
    unsigned long low = 0, high = 0, inode = 0;
    char permissions[8] = "";
    if (std::sscanf(line, "%lx-%lx %7s %*x %*s %lu", &low, &high, permissions, &inode) != 4) continue;
    if (address < low || address >= high) continue;
    found = inode ? "file" : permissions[0] == '-' ? "unmapped" : "host";
    break;
  }
  std::fclose(maps);
  return found;
}

template <class T>
bool inside(std::uintptr_t address, const T *object, std::size_t count = 1) {
  return object && address - reinterpret_cast<std::uintptr_t>(object) < count * sizeof(T);
}

// What the runtime's own inline functions look at on behalf of a kernel.
inline bool of_the_runtime(std::uintptr_t address) {
  const Worker &w = *this_worker;
  const Block &block = *w.block;
  const LaunchState &launch = *block.launch;
  if (inside(address, &w) || inside(address, &block) || inside(address, w.current) ||
      inside(address, &launch) ||
      inside(address, block.shared_slots.data(), block.shared_slots.size()))
    return true;
  auto closure = reinterpret_cast<std::uintptr_t>(launch.closure);
  if (address - closure + 4096 < 8192) return true;  // the launch's own argument list
  for (unsigned i = 0; i < launch.slot_count; ++i)
    if (address - reinterpret_cast<std::uintptr_t>(launch.slots[i].address) < launch.slots[i].size)
      return true;
  return false;
}

// Neither device memory nor this thread's stack.
inline void elsewhere(std::uintptr_t address, unsigned bytes, bool write, bool reads,
                      std::uint32_t flags, const void *pc) {
  Range own = thread_local_range();
  if (address - own.low < own.high - own.low) return;
  if (Shadow *s = shadow_of(address)) return kernel_access(*s, address, bytes, write, reads, flags, pc);
  if (address - image().low < image().high - image().low) return;
  if (!wanted().memory) return;
  if (of_the_runtime(address)) return;
  static std::set<std::uint32_t> *looked_at = new std::set<std::uint32_t>;
  Busy guard;
  if (in_kernel_heap(address) || !looked_at->insert(short_pc(pc)).second) return;
  const char *where = address < 4096 ? "unmapped" : host_memory_kind(address);
  if (where[0] == 'f') {
    looked_at->erase(short_pc(pc));
    return;
  }
  report_access(address < 4096 ? "null" : where[0] == 'u' ? "wild" : "host-on-device", address,
                bytes, write, pc);
}

inline __attribute__((always_inline)) void access(const volatile void *p, unsigned bytes, bool write,
                                                  bool reads, std::uint32_t flags, const void *pc) {
  auto address = reinterpret_cast<std::uintptr_t>(p);
  const Worker *w = this_worker;
  if (heap.holds(address)) {
    if (!w || !w->current) return host_access(address, bytes, write, pc);
    if (busy) return;
    return kernel_access(heap, address, bytes, write, reads, flags, pc);
  }
  if (!w || !w->current || busy) return;
  const Fiber *f = w->current;
  if (address - reinterpret_cast<std::uintptr_t>(f->stack) < f->stack_bytes) return;
  elsewhere(address, bytes, write, reads, flags, pc);
}

// Whether anything in the range was written: structures are copied with their padding.
inline bool any_written(std::uintptr_t address, std::size_t bytes) {
  Shadow *s = shadow_of(address);
  if (!s || !s->holds(address + bytes - 1)) return false;
  return std::memchr(s->state + (address - s->base), there | written, bytes) != nullptr ||
         std::memchr(s->state + (address - s->base), there | written | host_may, bytes) != nullptr ||
         std::memchr(s->state + (address - s->base), there | written | in_shared, bytes) != nullptr;
}

// Ranges of any length, as copies of structures and calls of memcpy make.
inline void range_access(const volatile void *p, std::size_t bytes, bool write, const void *pc) {
  auto address = reinterpret_cast<std::uintptr_t>(p);
  if (!bytes) return;
  bool reads = !write && !any_written(address, bytes);
  while (bytes) {
    unsigned step = static_cast<unsigned>(4 - address % 4);
    if (step > bytes) step = static_cast<unsigned>(bytes);
    access(reinterpret_cast<void *>(address), step, write, reads, piece, pc);
    address += step;
    bytes -= step;
  }
}

}  // namespace check
}  // namespace cuda_emu
