// Which accesses of different threads are ordered: launches, barriers, warp operations, fences.
//
// * Launches, and grid barriers inside one, start a new phase.
// * A block barrier orders everything in its block.
// * A warp operation orders the lanes that took part: each lane has a clock, and knows up to which
//   clock of every other lane it has seen.
// * Between blocks, a fence followed by an atomic (or volatile) access releases what the block did,
//   and an atomic or volatile access of another block after that acquires it. The location is not
//   looked at, so this errs towards silence.
#pragma once

#include <vector>

#include "check_shadow.h"
#include "check_streams.h"
#include "warp_impl.h"

namespace cuda_emu {
namespace check {

struct WarpClocks {
  std::uint32_t epoch = 0;           // of the block, when these were valid
  std::uint32_t own[32];
  std::uint32_t known[32][32];       // [lane][other lane]
};

struct BlockState {
  std::uint32_t id = 0;              // linear number in the grid
  std::uint32_t epoch = 1;           // barriers passed, plus one
  bool fenced = false;
  std::uint32_t acquired_at = 0;
  std::vector<WarpClocks> warps;
  const void *barrier_pc = nullptr;  // of the first thread that reached the barrier now forming
  uint3 barrier_thread{0, 0, 0};
  std::vector<std::pair<char *, std::size_t>> shared;  // arrays, in order of first use
};

struct Releases {
  std::uint32_t count = 0, last = 0;
};

// What runs. One kernel at a time, on one OS thread.
struct Now {
  BlockState *block = nullptr;
  LaunchState *launch = nullptr;
};
inline Now now;

inline constexpr std::uint32_t phase_limit = 8191;  // 13 bits
inline std::uint32_t phase = 1;
inline void next_phase() {
  std::uint32_t before = phase;
  if (++phase >= phase_limit) {
    clear_records();
    phase = 1;
  }
  same_work(before, phase);
}

inline std::uint32_t release_clock = 0;             // counts releases of the launch
inline std::vector<Releases> *releases = nullptr;   // by block; empty until a block has fenced
inline Releases releases_of(std::uint32_t block) {
  return releases && block < releases->size() ? (*releases)[block] : Releases{};
}

inline std::uint32_t folded_epoch(std::uint32_t epoch) { return epoch % 4093; }

enum Flag : std::uint32_t { plain = 0, atomic = 1, is_volatile = 2, piece = 4, copied = 6 };  // piece: of a larger access

inline std::uint32_t thread_of(const Record &r) { return r.who & 1023; }
inline std::uint32_t epoch_of(const Record &r) { return r.who >> 10 & 4095; }
inline std::uint32_t bytes_of(const Record &r) { return r.who >> 22 & 15; }
inline std::uint32_t flags_of(const Record &r) { return r.who >> 26 & 7; }
inline std::uint32_t phase_of(const Record &r) { return r.when >> 19; }
inline std::uint32_t clock_of(const Record &r) { return r.when & 0x7FFFF; }

inline std::uint32_t lane_clock(const BlockState &b, std::uint32_t thread) {
  if (b.warps.empty()) return 1;
  const WarpClocks &w = b.warps[thread / 32];
  return w.epoch == b.epoch ? w.own[thread % 32] : 1;
}

inline Record make_record(std::uint32_t pc, std::uint32_t thread, std::uint32_t flags) {
  const BlockState &b = *now.block;
  Record r;
  r.pc = pc;
  if (b.fenced) r.pc |= releases_of(b.id).count << 28;
  r.block = b.id;
  r.who = thread | folded_epoch(b.epoch) << 10 | flags << 26;
  r.when = phase << 19 | (lane_clock(b, thread) & 0x7FFFF);
  return r;
}

inline bool ordered_by_fence(const Record &before) {
  Releases r = releases_of(before.block);
  if (!r.count || !now.block->acquired_at) return false;
  std::uint32_t since = (r.count - (before.pc >> 28)) & 15;
  if (r.count >= 16) return true;  // the record's four bits no longer tell
  return since && (now.block->acquired_at >= r.last || since > 1);
}

// Whether `before` and an access by the running thread may happen at the same time.
inline bool unordered(const Record &before, const Record &me) {
  std::uint32_t theirs = flags_of(before), mine = flags_of(me);
  if (theirs & mine & atomic) return false;
  if (phase_of(before) != phase_of(me)) return streams_in_use && work_unordered(phase_of(before));
  if (before.block == me.block) {
    std::uint32_t thread = thread_of(before), self = thread_of(me);
    if (thread == self || epoch_of(before) != epoch_of(me)) return false;
    if (thread / 32 == self / 32) {
      const BlockState &b = *now.block;
      if (!b.warps.empty()) {
        const WarpClocks &w = b.warps[self / 32];
        if (w.epoch == b.epoch && w.known[self % 32][thread % 32] >= clock_of(before)) return false;
      }
    } else if (theirs & mine & is_volatile) {
      return false;
    }
  } else if (theirs & mine & is_volatile) {
    return false;
  }
  return !ordered_by_fence(before);
}

inline void note_fence() {
  if (now.block) now.block->fenced = true;
}
// An atomic or volatile access of the running block.
inline void note_synchronisation() {
  BlockState &b = *now.block;
  if (b.fenced) {
    if (b.id >= releases->size()) releases->resize(b.id + 1);
    Releases &r = (*releases)[b.id];
    ++r.count;
    r.last = ++release_clock;
  }
  b.acquired_at = release_clock;
}

// The lanes that took part know everything that any of them knew or did.
inline void join_lanes(WarpClocks &w, std::uint32_t lanes) {
  std::uint32_t joint[32] = {};
  for (std::uint32_t left = lanes; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    for (int i = 0; i < 32; ++i)
      if (w.known[lane][i] > joint[i]) joint[i] = w.known[lane][i];
  }
  for (std::uint32_t left = lanes; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    joint[lane] = w.own[lane];
    ++w.own[lane];
  }
  for (std::uint32_t left = lanes; left; left &= left - 1)
    std::memcpy(w.known[__builtin_ctz(left)], joint, sizeof joint);
}

void warp_gathered(Block &block, unsigned warp, const WarpOp &op) {
  if (!wanted().race || op.kind == WarpKind::active) return;
  BlockState &b = *block.checks;
  if (b.warps.size() <= warp) b.warps.resize((block.total + 31) / 32);
  WarpClocks &w = b.warps[warp];
  if (w.epoch != b.epoch) {
    w.epoch = b.epoch;
    for (std::uint32_t &clock : w.own) clock = 1;
    std::memset(w.known, 0, sizeof w.known);
  }
  join_lanes(w, op.arrived);
}

void grid_barrier_opens() { next_phase(); }

}  // namespace check
}  // namespace cuda_emu
