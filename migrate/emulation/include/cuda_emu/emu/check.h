// The checks of `cudamigrate run --check`: included by the one unit that holds the runtime's bodies,
// and only with CUDA_EMU_CHECK.
//
//   check_shadow.h   a state for every byte, records of accesses for every four
//   check_report.h   findings as lines of JSON, call chains
//   check_order.h    which accesses are ordered
//   check_memory.h   allocations, leaks, wrong frees
//   check_race.h     comparing accesses
//   check_access.h   one access, looked at from every side
//   check_entry.h    what instrumented code calls
//   check_calls.h    copies and allocations through the C library
#pragma once

#include "check_entry.h"

#include "check_calls.h"

namespace cuda_emu {
namespace check {

void wrong_mask(std::uint32_t mask) {
  if (!wanted().race) return;
  Busy guard;
  Line line("wrong-mask");
  line.chain("pc", call_chain(nullptr));
  line.number("mask", mask);
  add_place(line);
  write_line(line.done());
}

Quiet::Quiet() : before(busy) { busy = true; }
Quiet::~Quiet() { busy = before; }

inline std::recursive_mutex *turn() {
  static auto *made = new std::recursive_mutex;
  return made;
}
inline std::vector<Now> *outer = new std::vector<Now>;  // kernels that wait for one they launched

// Kernels run one at a time: the records say what one launch did.
void launch_begins(LaunchState &launch) {
  Busy guard;
  open_heap();
  bool outermost = !in_kernel();
  if (outermost) turn()->lock();
  settle(false);
  outer->push_back(now);
  now = Now{nullptr, &launch};
  next_phase();
  if (outermost && streams_in_use)
    begin_work(stream_id(launch.config.stream), phase, kernel_name(launch));
  if (!releases) releases = new std::vector<Releases>;
  releases->clear();
  release_clock = 0;
}
void launch_ends() {
  Busy guard;
  settle(false);
  now = outer->back();
  outer->pop_back();
  next_phase();
  if (!in_kernel()) turn()->unlock();
}

inline std::uint32_t grid_number(const Block &block) {
  const dim3 &g = block.launch->config.grid;
  return block.index.x + g.x * (block.index.y + g.y * block.index.z);
}

void block_starts(Block &block) {
  Busy guard;
  settle(false);
  if (!block.checks) block.checks = new BlockState;
  BlockState &b = *block.checks;
  for (auto &array : b.shared)
    mark(reinterpret_cast<std::uintptr_t>(array.first), array.second, 0);
  std::vector<WarpClocks> warps;
  if (b.warps.size() == (block.total + 31) / 32) warps.swap(b.warps);
  for (WarpClocks &w : warps) w.epoch = 0;
  b = BlockState{};
  b.warps.swap(warps);
  b.id = grid_number(block);
  now.block = &b;
}
void block_continues(Block &block) { now.block = block.checks; }
void block_dropped(Block &block) {
  delete block.checks;
  block.checks = nullptr;
}

void shared_memory(Block &block, char *at, std::size_t bytes) {
  Busy guard;
  mark(reinterpret_cast<std::uintptr_t>(at), bytes, there | in_shared);
  block.checks->shared.push_back({at, bytes});
}

// Threads of a block that meet at different barriers; the reader drops those on one source line.
void barrier_reached(Block &block, const Fiber *thread, const void *caller) {
  BlockState &b = *block.checks;
  if (!b.barrier_pc) {
    b.barrier_pc = caller;
    b.barrier_thread = thread->index;
    return;
  }
  if (b.barrier_pc == caller || !wanted().race || busy) return;
  Busy guard;
  if (!first_time("barrier-divergent", short_pc(caller), short_pc(b.barrier_pc))) return;
  Line line("barrier-divergent");
  line.chain("pc", call_chain(caller));
  Chain other;
  other.add(b.barrier_pc);
  line.chain("other_pc", other);
  add_place(line);
  line.triple("other_block", block.index.x, block.index.y, block.index.z);
  line.triple("other_thread", b.barrier_thread.x, b.barrier_thread.y, b.barrier_thread.z);
  write_line(line.done());
}

// Taken as a barrier of the whole block: that may hide a race with threads outside, and invents none.
void part_barrier_opens(Block &block) {
  Busy guard;
  settle(false);
  ++block.checks->epoch;
}

void barrier_opens(Block &block) {
  Busy guard;
  settle(false);
  BlockState &b = *block.checks;
  if (wanted().race && block.live < block.total && b.barrier_pc &&
      first_time("barrier-partial", short_pc(b.barrier_pc))) {
    Line line("barrier-partial");
    Chain at;
    at.add(b.barrier_pc);
    line.chain("pc", at);
    line.text("kernel", kernel_name(*block.launch));
    line.triple("block", block.index.x, block.index.y, block.index.z);
    line.triple("thread", b.barrier_thread.x, b.barrier_thread.y, b.barrier_thread.z);
    line.number("waiting", block.live);
    line.number("total", block.total);
    write_line(line.done());
  }
  ++b.epoch;
  b.barrier_pc = nullptr;
}

void deadlocked(Block &block, const Fiber *thread) {
  if (!wanted().race || !thread) return;
  Busy guard;
  Line line("deadlock");
  Chain at;
  if (block.checks->barrier_pc) at.add(block.checks->barrier_pc);
  line.chain("pc", at);
  line.text("kernel", kernel_name(*block.launch));
  line.triple("block", block.index.x, block.index.y, block.index.z);
  line.triple("thread", thread->index.x, thread->index.y, thread->index.z);
  line.text("waits", thread->waits_for);
  line.number("waiting", block.live);
  line.number("total", block.total);
  write_line(line.done());
}

}  // namespace check
}  // namespace cuda_emu
