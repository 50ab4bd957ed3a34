// Allocations as the checks know them, leaks, wrong frees, and naming an address in a finding.
#pragma once

#include <map>
#include <mutex>

#include "check_order.h"
#include "check_report.h"
#include "memory.h"

namespace cuda_emu {
namespace check {

struct Known {
  Allocation a;
  bool live = true;
  Chain made, gone;
};

struct KnownTable {
  std::mutex mutex;
  std::map<std::uintptr_t, Known> by_base;  // freed ones stay until their memory is used again
};
inline KnownTable &known() {
  static auto *table = new KnownTable;
  return *table;
}

inline const char *space_name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::managed: return "managed";
    case MemoryKind::host: return "pinned host";
    case MemoryKind::registered: return "registered host";
    case MemoryKind::symbol: return "device variable";
    default: return "device";
  }
}

inline void add_allocation(Line &line, const Known &k, std::uintptr_t address) {
  line.text("space", space_name(k.a.kind));
  line.signed_number("allocation", k.a.id);
  line.number("size", k.a.size);
  line.signed_number("offset", static_cast<long long>(address - k.a.base));
  line.chain("made", k.made);
  if (!k.live) line.chain("freed", k.gone);
}

// The array of shared memory that holds `address` or ends shortly before it.
inline bool add_shared(Line &line, std::uintptr_t address) {
  if (!now.block) return false;
  for (std::size_t i = now.block->shared.size(); i-- > 0;) {
    auto base = reinterpret_cast<std::uintptr_t>(now.block->shared[i].first);
    if (address < base) continue;
    if (address - base > now.block->shared[i].second + (64u << 10)) return false;
    line.text("space", "shared");
    line.signed_number("allocation", static_cast<long long>(i));
    line.number("size", now.block->shared[i].second);
    line.signed_number("offset", static_cast<long long>(address - base));
    return true;
  }
  return false;
}

// Names the allocation that holds the address, or the nearest one.
inline void add_address(Line &line, std::uintptr_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  line.text("address", text);
  KnownTable &table = known();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto after = table.by_base.upper_bound(address);
  const Known *below = after == table.by_base.begin() ? nullptr : &std::prev(after)->second;
  if (below && address - below->a.base < below->a.size) return add_allocation(line, *below, address);
  if (add_shared(line, address)) return;
  constexpr std::uintptr_t far = std::uintptr_t{1} << 30;
  const Known *above = after == table.by_base.end() ? nullptr : &after->second;
  std::uintptr_t down = below ? address - below->a.base - below->a.size : far;
  std::uintptr_t up = above ? above->a.base - address : far;
  if (below && down <= up && down < far) return add_allocation(line, *below, address);
  if (above && up < far) add_allocation(line, *above, address);
}

char *take_memory(std::size_t bytes) {
  Busy guard;
  return space().take(bytes);
}
void return_memory(char *block, std::size_t bytes) {
  Busy guard;
  std::uintptr_t at = reinterpret_cast<std::uintptr_t>(block) - heap.base;
  std::memset(heap.state + at, freed, bytes);
  if (bytes >= std::size_t{1} << 20) madvise(block, bytes & ~std::size_t{4095}, MADV_DONTNEED);
  space().give(block, bytes);
}

void allocated(const Allocation &a) {
  Busy guard;
  bool host = a.kind == MemoryKind::managed || a.kind == MemoryKind::host;
  mark(a.base, a.size, host ? there | host_may : there);
  KnownTable &table = known();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto from = table.by_base.lower_bound(a.base), to = from;
  while (to != table.by_base.end() && to->first < a.base + a.size) ++to;
  table.by_base.erase(from, to);
  Known k;
  k.a = a;
  k.made = call_chain(nullptr);
  table.by_base[a.base] = k;
}

void released(const Allocation &a) {
  Busy guard;
  KnownTable &table = known();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto at = table.by_base.find(a.base);
  if (at == table.by_base.end()) return;
  at->second.live = false;
  at->second.gone = call_chain(nullptr);
}

void adopted(const Allocation &a) {
  Busy guard;
  add_shadow(a.base, a.size, there | written | host_may);
  KnownTable &table = known();
  std::lock_guard<std::mutex> lock(table.mutex);
  Known k;
  k.a = a;
  k.made = call_chain(nullptr);
  table.by_base[a.base] = k;
}

// A free of something that is not a live allocation: freed before, or never one.
void bad_free(const void *pointer) {
  if (!wanted().leak && !wanted().memory) return;
  Busy guard;
  auto address = reinterpret_cast<std::uintptr_t>(pointer);
  Chain chain = call_chain(nullptr);
  bool before;
  {
    KnownTable &table = known();
    std::lock_guard<std::mutex> lock(table.mutex);
    auto at = table.by_base.find(address);
    before = at != table.by_base.end() && !at->second.live;
  }
  Line line(before ? "double-free" : "bad-free");
  line.chain("pc", chain);
  add_address(line, address);
  write_line(line.done());
}

void bad_range(const void *pointer, std::size_t bytes, const char *call) {
  if (!wanted().memory) return;
  Busy guard;
  Line line("copy-range");
  line.chain("pc", call_chain(nullptr));
  line.text("call", call);
  line.number("bytes", bytes);
  add_address(line, reinterpret_cast<std::uintptr_t>(pointer));
  write_line(line.done());
}

inline bool context_was_reset = false;
void context_reset() { context_was_reset = true; }

inline void report_leaks() {
  if (!wanted().leak || context_was_reset) return;
  Busy guard;
  KnownTable &table = known();
  std::lock_guard<std::mutex> lock(table.mutex);
  for (auto &entry : table.by_base) {
    const Known &k = entry.second;
    if (!k.live || k.a.kind == MemoryKind::symbol || k.a.kind == MemoryKind::registered) continue;
    Line line("leak");
    line.chain("pc", k.made);
    line.text("space", space_name(k.a.kind));
    line.signed_number("allocation", k.a.id);
    line.number("size", k.a.size);
    write_line(line.done());
  }
}

// Registered before any object of the program exists, so that it runs after all are destroyed.
__attribute__((constructor(101))) static void report_leaks_at_end() { std::atexit(report_leaks); }

}  // namespace check
}  // namespace cuda_emu
