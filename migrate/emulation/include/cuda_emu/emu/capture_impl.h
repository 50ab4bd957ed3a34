// The recorder behind capture.h.
#pragma once

#include <sys/stat.h>

#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "capture_arguments.h"
#include "capture_select.h"
#include "content_store.h"
#include "json_text.h"
#include "memory.h"
#include "symbols.h"

namespace cuda_emu {

struct CapturedGlobal {
  DeviceVariable variable;
  std::string before;
};

struct CapturedLaunch {
  std::string head;  // the JSON object up to its buffers
  std::string kernel;
  std::vector<CapturedBuffer> buffers;
  std::vector<CapturedGlobal> globals;
};

struct Recorder : ContentStore {
  std::FILE *launches = nullptr;
  int sequence = 0;
  std::map<std::string, KernelBudget> kernels;  // by mangled name
  std::mutex mutex;
};

inline void write_summary(const Recorder &r, const char *status) {
  std::string path = r.directory + "/summary.json";
  std::FILE *out = std::fopen(path.c_str(), "w");
  if (!out) return;
  std::string kernels;
  int captured = 0;
  std::map<std::string, std::pair<int, int>> by_name;
  for (const auto &entry : r.kernels) {
    by_name[entry.second.name].first += entry.second.launches;
    by_name[entry.second.name].second += entry.second.captured;
    captured += entry.second.captured;
  }
  for (const auto &entry : by_name) {
    if (!kernels.empty()) kernels += ", ";
    kernels += json_string(entry.first) + ": {\"launches\": " + std::to_string(entry.second.first) +
               ", \"captured\": " + std::to_string(entry.second.second) + "}";
  }
  std::fprintf(out,
               "{\"launches\": %d, \"captured\": %d, \"bytes\": %" PRIu64
               ", \"status\": \"%s\", \"per_kernel\": {%s}}\n",
               r.sequence, captured, r.stored_bytes, status, kernels.c_str());
  std::fclose(out);
}

inline Recorder *open_recorder() {
  const char *directory = std::getenv("CUDAMIGRATE_CAPTURE_DIR");
  if (!directory || !*directory) return nullptr;
  auto *r = new Recorder;
  r->directory = directory;
  mkdir(directory, 0777);
  mkdir((r->directory + "/blobs").c_str(), 0777);
  r->launches = std::fopen((r->directory + "/launches.jsonl").c_str(), "w");
  if (!r->launches) {
    std::fprintf(stderr, "cuda_emu: cannot write a capture to %s\n", directory);
    std::_Exit(3);
  }
  if (const char *text = std::getenv("CUDAMIGRATE_CAPTURE_MAX_BYTES"))
    r->max_bytes = std::strtoull(text, nullptr, 10);
  write_summary(*r, "incomplete");  // stays if the program dies
  return r;
}

inline Recorder *recorder() {
  static Recorder *instance = [] {
    Recorder *r = open_recorder();
    if (r)
      std::atexit([] {
        check_guards("at exit");
        std::fflush(recorder()->launches);
        write_summary(*recorder(), "ok");
      });
    return r;
  }();
  return instance;
}

CUDA_EMU_API bool capture_enabled() { return recorder() != nullptr; }

// CUDAMIGRATE_POISON_OUTPUTS=kernel:parameter,...: memory that a kernel only writes is made to look
// unwritten before a captured launch. A launch that finds its result already in memory would prove
// nothing. Left alone when another argument points into the same allocation.
inline void poison_outputs(const Probe &p) {
  static const std::string listed = [] {
    const char *value = std::getenv("CUDAMIGRATE_POISON_OUTPUTS");
    return value && *value ? "," + std::string(value) + "," : std::string();
  }();
  if (listed.empty()) return;
  std::map<int, int> users;
  for (const Argument &a : p.arguments) {
    std::uintptr_t address = 0;
    Allocation found;
    std::size_t offset = 0;
    if (a.kind != ArgKind::pointer) continue;
    std::memcpy(&address, a.bytes.data(), sizeof address);
    if (address && locate(address, &found, &offset)) ++users[found.id];
  }
  for (const Argument &a : p.arguments) {
    if (a.kind != ArgKind::pointer) continue;
    if (listed.find("," + std::string(p.kernel) + ":" + a.name + ",") == std::string::npos) continue;
    std::uintptr_t address = 0;
    Allocation found;
    std::size_t offset = 0;
    std::memcpy(&address, a.bytes.data(), sizeof address);
    if (!address || !locate(address, &found, &offset) || users[found.id] != 1) continue;
    poison(reinterpret_cast<void *>(address), found.size - offset);
  }
}

inline bool store_before(Recorder &r, CapturedLaunch &c) {
  for (CapturedBuffer &b : c.buffers) {
    const void *bytes = reinterpret_cast<const void *>(b.allocation.base);
    if (!r.keep(bytes, b.allocation.size, &b.before)) return false;
  }
  for (const DeviceVariable &v : device_variables()) {
    c.globals.push_back({v, ""});
    if (!r.keep(v.address, v.size, &c.globals.back().before)) return false;
  }
  return true;
}

inline void write_skipped(Recorder &r, KernelBudget &budget, const std::string &head,
                          const char *why) {
  if (budget.skipped_lines++ >= 1000) return;  // counted in the summary, not listed any more
  std::fprintf(r.launches, "%s, \"buffers\": [], \"globals\": [], \"skipped\": \"%s\"}\n",
               head.c_str(), why);
}

// Starts the record of a launch; null when its contents do not fit.
inline CapturedLaunch *record_before(Recorder &r, LaunchFacts &facts) {
  auto *c = new CapturedLaunch;
  c->head = facts.head;
  c->kernel = facts.mangled;
  c->buffers = reachable(facts.arguments);
  if (store_before(r, *c)) return c;
  delete c;
  return nullptr;
}

// A kernel that has its first launch leaves at least half of what is left to the others. All that a
// launch reaches may change.
inline bool leaves_room(const Recorder &r, const KernelBudget &budget, const LaunchFacts &facts) {
  std::uint64_t most = 0;
  for (const auto &entry : facts.arguments.reached) most += entry.second.size;
  return budget.captured == 0 || most <= (r.max_bytes - r.stored_bytes) / 2;
}

inline bool variants_asked();
inline void run_variants(Recorder &r, LaunchState &launch, int sequence);

CUDA_EMU_API CapturedLaunch *capture_before(LaunchState &launch) {
  Recorder &r = *recorder();
  std::lock_guard<std::mutex> lock(r.mutex);
  int sequence = r.sequence++;
  if (variants_asked()) {
    run_variants(r, launch, sequence);
    return nullptr;
  }
  LaunchFacts facts = launch_facts(launch, sequence);
  KernelBudget &budget = r.kernels[facts.mangled];
  budget.name = facts.probe.kernel;
  bool wanted = budget.wants(facts.shape);
  if (!facts.arguments.replayable || !wanted) {
    write_skipped(r, budget, facts.head, wanted ? "unreplayable" : "cap-launches");
    return nullptr;
  }
  poison_outputs(facts.probe);
  CapturedLaunch *c = leaves_room(r, budget, facts) ? record_before(r, facts) : nullptr;
  if (c) budget.accept(facts.shape);
  else write_skipped(r, budget, facts.head, "cap-bytes");
  return c;
}

inline std::string buffer_json(const CapturedBuffer &b, const std::string &after) {
  const auto *bytes = reinterpret_cast<const unsigned char *>(b.allocation.base);
  std::string out = "{\"alloc\": " + std::to_string(b.allocation.id) +
                    ", \"size\": " + std::to_string(b.allocation.size) + ", \"before\": \"" +
                    b.before + "\", \"after\": \"" + after + "\"";
  if (!b.pointers_at.empty())
    out += ", \"pointers\": " + pointer_list(bytes, b.allocation.size, nullptr, nullptr);
  return out + "}";
}

// The lists of buffers and variables after a launch; false when a content does not fit.
inline bool record_after(Recorder &r, const CapturedLaunch &c, std::string *lists) {
  std::string buffers, globals;
  bool fits = true;
  for (const CapturedBuffer &b : c.buffers) {
    const void *bytes = reinterpret_cast<const void *>(b.allocation.base);
    std::string after;
    fits = r.keep(bytes, b.allocation.size, &after) && fits;
    buffers += (buffers.empty() ? "" : ", ") + buffer_json(b, after);
  }
  for (const CapturedGlobal &g : c.globals) {
    std::string after;
    fits = r.keep(g.variable.address, g.variable.size, &after) && fits;
    globals += std::string(globals.empty() ? "" : ", ") + "{\"name\": " +
               json_string(g.variable.name) + ", \"space\": \"" + g.variable.space +
               "\", \"size\": " + std::to_string(g.variable.size) + ", \"before\": \"" + g.before +
               "\", \"after\": \"" + after + "\"";
    std::string pointers = pointer_list(static_cast<const unsigned char *>(g.variable.address),
                                        g.variable.size, nullptr, nullptr);
    globals += (pointers == "[]" ? "" : ", \"pointers\": " + pointers) + "}";
  }
  *lists = ", \"buffers\": [" + buffers + "], \"globals\": [" + globals + "]";
  return fits;
}

CUDA_EMU_API void capture_after(CapturedLaunch *c, bool failed) {
  Recorder &r = *recorder();
  std::lock_guard<std::mutex> lock(r.mutex);
  check_guards(("after kernel " + r.kernels[c->kernel].name).c_str());
  std::string lists;
  bool fits = record_after(r, *c, &lists);
  if (fits && !failed) {
    std::fprintf(r.launches, "%s%s, \"skipped\": null}\n", c->head.c_str(), lists.c_str());
  } else {
    r.kernels[c->kernel].captured--;
    write_skipped(r, r.kernels[c->kernel], c->head, failed ? "unreplayable" : "cap-bytes");
  }
  delete c;
}

}  // namespace cuda_emu

#include "variants_impl.h"
