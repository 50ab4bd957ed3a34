// Warp operations: lanes gather, the operation is computed once, every lane takes its result.
//
// Lanes that have returned do not count. Lanes named by the mask that never arrive make a deadlock,
// which is reported, unless the operation is one that takes whoever is there.
#pragma once

#include "block.h"
#include "launch_state.h"
#include "poison.h"
#include "warp_rules.h"

namespace cuda_emu {

// Lanes of a warp that have not returned: those that wait and those not started.
inline std::uint32_t alive_lanes(const Block &block, unsigned warp) {
  unsigned first = warp * 32, left = block.total - first;
  std::uint32_t lanes = left >= 32 ? 0xFFFFFFFFu : (1u << left) - 1u;
  if (block.launch->order != Order::forward) {  // threads start from the last on
    unsigned left_over = block.total - block.next;
    unsigned waiting = left_over > first ? left_over - first : 0;
    return block.warps[warp].live | (waiting >= 32 ? lanes : lanes & ((1u << waiting) - 1u));
  }
  unsigned started = block.next > first ? block.next - first : 0;
  std::uint32_t waiting_to_start = started >= 32 ? 0 : lanes & ~((1u << started) - 1u);
  return block.warps[warp].live | waiting_to_start;
}

inline int source_lane(const Fiber *f, unsigned lane, WarpKind kind) {
  return shuffle_source(kind, static_cast<int>(lane), static_cast<int>(f->parameter),
                        static_cast<int>(f->width));
}

// One instance for each kind: the choice of the source lane is then free of branches on it.
template <WarpKind kind>
void compute_shuffle(WarpOp &op) {
  std::uint32_t arrived = op.arrived;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(arrived >> lane & 1)) continue;
    Fiber *f = op.lanes[lane];
    int source = source_lane(f, lane, kind);
    // Reading a lane that does not take part is undefined in CUDA: poison shows it.
    bool there = source >= 0 && source < 32 && (arrived >> source & 1);
    f->result = there ? op.lanes[source]->value : fresh_word;
  }
}

inline void compute_vote(WarpOp &op) {
  std::uint32_t votes = 0;
  for (std::uint32_t left = op.arrived; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    if (op.lanes[lane]->value) votes |= 1u << lane;
  }
  std::uint64_t result = op.kind == WarpKind::active   ? op.arrived
                         : op.kind == WarpKind::ballot ? votes
                         : op.kind == WarpKind::any    ? votes != 0
                                                       : votes == op.arrived;
  for (std::uint32_t left = op.arrived; left; left &= left - 1)
    op.lanes[__builtin_ctz(left)]->result = result;
}

inline void compute_match(WarpOp &op) {
  for (std::uint32_t left = op.arrived; left; left &= left - 1) {
    Fiber *f = op.lanes[__builtin_ctz(left)];
    std::uint32_t same = 0;
    for (std::uint32_t others = op.arrived; others; others &= others - 1) {
      int other = __builtin_ctz(others);
      if (op.lanes[other]->value == f->value) same |= 1u << other;
    }
    f->result = op.kind == WarpKind::match_any || same == op.arrived ? same : 0;
  }
}

inline void compute_reduction(WarpOp &op) {
  std::uint32_t left = op.arrived;
  std::uint64_t reduced = op.lanes[__builtin_ctz(left)]->value;
  for (left &= left - 1; left; left &= left - 1)
    reduced = fold(op.kind, static_cast<std::uint32_t>(reduced),
                   static_cast<std::uint32_t>(op.lanes[__builtin_ctz(left)]->value));
  for (left = op.arrived; left; left &= left - 1) op.lanes[__builtin_ctz(left)]->result = reduced;
}

inline void compute(WarpOp &op) {
  switch (op.kind) {
    case WarpKind::sync: return;
    case WarpKind::active:
    case WarpKind::ballot:
    case WarpKind::all:
    case WarpKind::any: return compute_vote(op);
    case WarpKind::match_any:
    case WarpKind::match_all: return compute_match(op);
    case WarpKind::shfl_idx: return compute_shuffle<WarpKind::shfl_idx>(op);
    case WarpKind::shfl_up: return compute_shuffle<WarpKind::shfl_up>(op);
    case WarpKind::shfl_down: return compute_shuffle<WarpKind::shfl_down>(op);
    case WarpKind::shfl_xor: return compute_shuffle<WarpKind::shfl_xor>(op);
    default: return compute_reduction(op);
  }
}

inline void complete(Block &block, unsigned warp, WarpOp &op) {
  check::warp_gathered(block, warp, op);
  compute(op);
  for (unsigned lane = 0; lane < 32; ++lane)
    if (op.arrived >> lane & 1) block.ready.push(op.lanes[lane]);
  op.arrived = 0;
}

inline WarpOp &find_op(Warp &warp, WarpKind kind, std::uint32_t mask, bool lenient) {
  WarpOp *free_op = nullptr;
  for (WarpOp &op : warp.ops) {
    if (op.arrived && op.kind == kind && op.mask == mask && op.lenient == lenient) return op;
    if (!op.arrived && !free_op) free_op = &op;
  }
  if (!free_op) {
    warp.ops.emplace_back();
    free_op = &warp.ops.back();
  }
  free_op->kind = kind;
  free_op->mask = mask;
  free_op->lenient = lenient;
  return *free_op;
}

inline const char *warp_kind_name(WarpKind kind) {
  switch (kind) {
    case WarpKind::sync: return "__syncwarp";
    case WarpKind::active: return "__activemask";
    case WarpKind::shfl_idx: case WarpKind::shfl_up:
    case WarpKind::shfl_down: case WarpKind::shfl_xor: return "a warp shuffle";
    case WarpKind::ballot: case WarpKind::all: case WarpKind::any: return "a warp vote";
    case WarpKind::match_any: case WarpKind::match_all: return "a warp match";
    default: return "a warp reduction";
  }
}

inline void keep_stack(Block &block, Fiber *self, const char *reason);
inline void suspend(Block &block, Fiber *self);
inline void fail_in_kernel(const char *what);

CUDA_EMU_API std::uint64_t warp_operation(WarpKind kind, std::uint32_t mask, bool lenient,
                                          std::uint64_t value, unsigned parameter, unsigned width) {
  Worker &w = *this_worker;
  Block &block = *w.block;
  Fiber *self = w.current;
  keep_stack(block, self, warp_kind_name(kind));
  unsigned warp = self->linear / 32, lane = self->linear % 32;
  if (!(mask >> lane & 1)) {
    check::wrong_mask(mask);
    fail_in_kernel("a warp operation whose mask lacks the calling lane");
  }
  self->value = value;
  self->parameter = parameter;
  self->width = static_cast<std::uint16_t>(width);
  WarpOp &op = find_op(block.warps[warp], kind, mask, lenient);
  op.lanes[lane] = self;
  op.arrived |= 1u << lane;
  std::uint32_t missing = mask & ~op.arrived;
  if (!missing || !(missing & alive_lanes(block, warp))) complete(block, warp, op);
  suspend(block, self);
  return self->result;
}

}  // namespace cuda_emu
