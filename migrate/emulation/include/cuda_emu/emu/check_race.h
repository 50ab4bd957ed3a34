// The race check: each access is compared with the last write and two last reads of its granule.
#pragma once

#include "check_memory.h"

namespace cuda_emu {
namespace check {

// A race found at a write, until a later access shows whether the write changed anything: threads
// that all store the same number are reported more softly.
struct Pending {
  bool waits = false;
  bool fresh = false;     // the store itself may not have happened yet
  bool certain = false;   // part of a larger store: taken as a change
  void *address = nullptr;
  unsigned bytes = 0;
  unsigned char before[16];
  Record write, other;
  bool other_wrote = false, shared = false;
  Chain chain;
  Block *block = nullptr;
  uint3 thread{0, 0, 0};
};
inline Pending pending;

inline uint3 unfold(std::uint32_t linear, const dim3 &d) {
  return uint3{linear % d.x, linear / d.x % d.y, linear / d.x / d.y};
}

struct Race {
  Record me, other;
  bool i_write, other_wrote, shared, same_value;
  std::uintptr_t address;
  unsigned bytes;
  Block *block;
  uint3 thread;
};

inline bool across_streams(const Race &r) { return phase_of(r.me) != phase_of(r.other); }

inline const char *race_kind(const Race &r) {
  if (across_streams(r)) return "race-stream";
  bool both_write = r.i_write && r.other_wrote;
  bool one_atomic = (flags_of(r.me) | flags_of(r.other)) & atomic;
  bool read_beside_atomic = one_atomic && !both_write;
  if (!r.shared && read_beside_atomic) return "race-atomic";
  if (r.same_value && both_write) return "race-same";
  return r.me.block == r.other.block ? "race-block" : "race-grid";
}

inline void report_race(const Race &r, const Chain &chain) {
  const char *kind = race_kind(r);
  std::uint32_t pc = chain.pc[0], other = r.other.pc & 0xFFFFFFF;
  if (!first_time(kind, pc, other)) return;
  Line line(kind);
  line.chain("pc", chain);
  Chain there_chain;
  there_chain.pc[there_chain.count++] = other;
  line.chain("other_pc", there_chain);
  line.text("access", r.i_write ? "write" : "read");
  line.text("other_access", r.other_wrote ? "write" : "read");
  line.text("kernel", kernel_name(*r.block->launch));
  line.triple("block", r.block->index.x, r.block->index.y, r.block->index.z);
  line.triple("thread", r.thread.x, r.thread.y, r.thread.z);
  add_address(line, r.address);
  line.number("bytes", r.bytes);
  if (across_streams(r)) {
    line.text("other", streams().owners[phase_of(r.other)].name);
    write_line(line.done());
    return;
  }
  uint3 b = unfold(r.other.block, r.block->launch->config.grid);
  uint3 t = unfold(thread_of(r.other), r.block->dim);
  line.triple("other_block", b.x, b.y, b.z);
  line.triple("other_thread", t.x, t.y, t.z);
  write_line(line.done());
}

// Reports the race that waits. A copy of a small structure announces its write before its read, and
// happens after both: one read is let pass.
inline void settle(bool at_read) {
  Pending &p = pending;
  if (__builtin_expect(!p.waits, 1)) return;
  bool fresh = p.fresh;
  p.fresh = false;
  if (fresh && at_read) return;
  p.waits = false;
  Busy guard;
  bool same = !p.certain && std::memcmp(p.address, p.before, p.bytes) == 0;
  Race r{p.write, p.other, true, p.other_wrote, p.shared, same,
         reinterpret_cast<std::uintptr_t>(p.address), p.bytes, p.block, p.thread};
  report_race(r, p.chain);
}

inline std::uint32_t mask_in(std::size_t granule, std::size_t offset, unsigned bytes) {
  std::size_t from = granule * 4, low = offset > from ? offset - from : 0;
  std::size_t end = offset + bytes - from, high = end > 4 ? 4 : end;
  return static_cast<std::uint32_t>((1u << high) - (1u << low));
}

inline void remember_read(Granule &g, const Record &me) {
  Record &first = g.read;
  bool mine = first.block == me.block && ((first.who ^ me.who) & 1023) == 0;
  bool stale = phase_of(first) != phase_of(me) ||
               (first.block == me.block && epoch_of(first) != epoch_of(me));
  if (!mine && !stale) g.other_read = first;
  first = me;
}

struct Place {
  std::uintptr_t address;
  unsigned bytes;
  const void *pc;
  bool shared;
};

inline void conflict(const Record &other, bool other_wrote, const Record &me, bool write,
                     const Place &at) {
  Busy guard;
  if (!write) {
    Race r{me, other, false, other_wrote, at.shared, false, at.address, at.bytes,
           this_worker->block, threadIdx};
    return report_race(r, call_chain(at.pc));
  }
  Pending &p = pending;
  if (p.waits) return;  // one finding for an access is enough
  p.waits = p.fresh = true;
  p.certain = flags_of(me) & (piece | atomic);
  p.address = reinterpret_cast<void *>(at.address);
  p.bytes = at.bytes;
  std::memcpy(p.before, p.address, at.bytes);
  p.write = me;
  p.other = other;
  p.other_wrote = other_wrote;
  p.chain = call_chain(at.pc);
  p.shared = at.shared;
  p.block = this_worker->block;
  p.thread = threadIdx;
}

// Atomic operations arrive as writes with the flag; an atomic load as a read.
inline void race_access(Shadow &s, std::size_t offset, unsigned bytes, bool write,
                        std::uint32_t flags, const void *pc) {
  if (flags & (atomic | is_volatile)) note_synchronisation();
  unsigned thread = linear_thread();
  Record me = make_record(short_pc(pc), thread, flags);
  std::uint32_t who = me.who;
  std::size_t first = offset / 4, last = (offset + bytes - 1) / 4;
  Place place{s.base + offset, bytes, pc, static_cast<bool>(s.state[offset] & in_shared)};
  for (std::size_t at = first; at <= last; ++at) {
    Granule &g = s.granules[at];
    std::uint32_t mask = mask_in(at, offset, bytes);
    me.who = who | mask << 22;
    // Blocks use the same shared memory one after the other.
    if (place.shared && (g.write.block != me.block || phase_of(g.write) != phase))
      g.write = Record{};
    if (place.shared && (g.read.block != me.block || phase_of(g.read) != phase))
      g.read = g.other_read = Record{};
    if (g.write.when && (bytes_of(g.write) & mask) && unordered(g.write, me))
      conflict(g.write, true, me, write, place);
    if (!write) {
      remember_read(g, me);
      continue;
    }
    if (g.read.when && (bytes_of(g.read) & mask) && unordered(g.read, me))
      conflict(g.read, false, me, true, place);
    else if (g.other_read.when && (bytes_of(g.other_read) & mask) && unordered(g.other_read, me))
      conflict(g.other_read, false, me, true, place);
    g.write = me;
  }
}

}  // namespace check
}  // namespace cuda_emu
