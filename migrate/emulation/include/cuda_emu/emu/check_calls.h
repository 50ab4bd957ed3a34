// Library calls that the linker hands to the checks first (--wrap): copies, fills, and what kernels
// allocate. Host copies keep track of which device bytes hold something.
#pragma once

#include "check_access.h"

namespace cuda_emu {
namespace check {

inline bool on_host() { return !this_worker || !this_worker->current; }

// Device bytes that nobody has written go to the host: worth a remark, since only part of a buffer
// may be meant.
inline void report_copy_out(std::uintptr_t address, std::size_t bytes, std::size_t unwritten,
                            const void *pc) {
  Busy guard;
  Chain chain = call_chain(pc);
  if (!first_time("unwritten-copy", chain.count > 1 ? chain.pc[1] : chain.pc[0])) return;
  Line line("unwritten-copy");
  line.chain("pc", chain);
  line.number("bytes", bytes);
  line.number("unwritten", unwritten);
  add_address(line, address);
  write_line(line.done());
}

inline void copy_record(std::uintptr_t address, std::size_t bytes, bool write, const void *pc) {
  if (!heap.holds(address)) return;
  Record me;
  me.pc = short_pc(pc);
  me.who = 15u << 22 | std::uint32_t{copied} << 26;
  me.when = phase << 19 | 1;
  std::size_t first = (address - heap.base) / 4, last = (address - heap.base + bytes - 1) / 4;
  for (std::size_t at = first; at <= last; ++at) {
    Granule &g = heap.granules[at];
    const Record *other = nullptr;
    if (g.write.when && unordered(g.write, me)) other = &g.write;
    else if (write && g.read.when && unordered(g.read, me)) other = &g.read;
    if (other && first_time("race-stream", me.pc, other->pc & 0xFFFFFFF)) {
      Line line("race-stream");
      line.chain("pc", call_chain(pc));
      Chain there_chain;
      there_chain.pc[there_chain.count++] = other->pc & 0xFFFFFFF;
      line.chain("other_pc", there_chain);
      line.text("access", write ? "write" : "read");
      line.text("other_access", other == &g.write ? "write" : "read");
      line.text("other", streams().owners[phase_of(*other)].name);
      line.number("bytes", bytes);
      add_address(line, heap.base + at * 4);
      write_line(line.done());
    }
    (write ? g.write : g.read) = me;
  }
}

// A copy or fill is work of a stream; without one the host waits for it.
inline void stream_copy(void *to, const void *from, std::size_t bytes, const void *pc) {
  auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
  if (!streams_in_use || busy || !bytes || (!heap.holds(target) && !heap.holds(source))) return;
  Busy guard;
  int stream = streams().submitting;
  next_phase();
  begin_work(stream < 0 ? 0 : stream, phase, "a copy or fill");
  copy_record(source, bytes, false, pc);
  copy_record(target, bytes, true, pc);
  if (stream < 0) stream_waited(0);
}

// The state of copied bytes travels with them.
inline void host_copy(void *to, const void *from, std::size_t bytes, const void *pc) {
  if (!bytes || busy) return;
  auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
  std::uint8_t *out = heap.holds(target) ? heap.state + (target - heap.base) : nullptr;
  const std::uint8_t *in = heap.holds(source) ? heap.state + (source - heap.base) : nullptr;
  std::size_t unwritten = 0;
  for (std::size_t i = 0; i < bytes && (in || out); ++i) {
    bool known = !in || in[i] & written || !still_poison(source + i, 1);
    if (!known) ++unwritten;
    if (out && out[i] & there)
      out[i] = static_cast<std::uint8_t>(known ? out[i] | written : out[i] & ~written);
  }
  if (unwritten && !out && wanted().init) report_copy_out(source, bytes, unwritten, pc);
}

inline void copy_call(void *to, const void *from, std::size_t bytes, const void *pc) {
  if (on_host()) {
    host_copy(to, from, bytes, pc);
    return stream_copy(to, from, bytes, pc);
  }
  range_access(from, bytes, false, pc);
  range_access(to, bytes, true, pc);
}

inline void fill_call(void *to, std::size_t bytes, const void *pc) {
  auto target = reinterpret_cast<std::uintptr_t>(to);
  if (!on_host()) return range_access(to, bytes, true, pc);
  if (busy || !heap.holds(target)) return;
  std::uint8_t *state = heap.state + (target - heap.base);
  for (std::size_t i = 0; i < bytes; ++i)
    if (state[i] & there) state[i] |= written;
  stream_copy(to, nullptr, bytes, pc);
}

inline void *kernel_block(void *made, std::size_t bytes) {
  if (on_host() || busy || !made) return made;
  Busy guard;
  if (!kernel_heap) kernel_heap = new std::map<std::uintptr_t, std::size_t>;
  (*kernel_heap)[reinterpret_cast<std::uintptr_t>(made)] = bytes;
  return made;
}

}  // namespace check
}  // namespace cuda_emu

extern "C" {
void *__real_memcpy(void *to, const void *from, std::size_t n);
void *__real_memmove(void *to, const void *from, std::size_t n);
void *__real_memset(void *to, int value, std::size_t n);
void *__real_malloc(std::size_t n);
void *__real__Znwm(std::size_t n);
void *__real__Znam(std::size_t n);

void *__wrap_memcpy(void *to, const void *from, std::size_t n) {
  cuda_emu::check::copy_call(to, from, n, CUDA_EMU_PC);
  return __real_memcpy(to, from, n);
}
void *__wrap_memmove(void *to, const void *from, std::size_t n) {
  cuda_emu::check::copy_call(to, from, n, CUDA_EMU_PC);
  return __real_memmove(to, from, n);
}
void *__wrap_memset(void *to, int value, std::size_t n) {
  cuda_emu::check::fill_call(to, n, CUDA_EMU_PC);
  return __real_memset(to, value, n);
}
void *__wrap_malloc(std::size_t n) { return cuda_emu::check::kernel_block(__real_malloc(n), n); }
void *__wrap__Znwm(std::size_t n) { return cuda_emu::check::kernel_block(__real__Znwm(n), n); }
void *__wrap__Znam(std::size_t n) { return cuda_emu::check::kernel_block(__real__Znam(n), n); }
}
