// Writing launches down: `launches.jsonl`, contents, `summary.json`. C++ alone, no runtime behind it.
#pragma once

#include <sys/stat.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "capture_arguments.h"
#include "capture_select.h"
#include "content_store.h"
#include "json_text.h"

namespace cuda_emu {

struct CapturedLaunch {
  std::string head;  // the JSON object up to its buffers
  std::string kernel;
  std::vector<CapturedBuffer> buffers;
  std::vector<std::string> globals;  // contents before, in the order of the variables
  std::map<std::string, std::vector<PointerWord>> global_pointers;
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

// A recorder that writes below the folder that `variable` names; null when it names none.
inline Recorder *open_recorder(const char *variable) {
  const char *directory = std::getenv(variable);
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

inline void close_recorder(Recorder &r) {
  std::fflush(r.launches);
  write_summary(r, "ok");
}

inline bool store_before(Recorder &r, const DeviceMemory &memory, CapturedLaunch &c) {
  for (CapturedBuffer &b : c.buffers)
    if (!r.keep(memory.contents(b.allocation), b.allocation.size, &b.before)) return false;
  const std::vector<CapturedVariable> variables = memory.variables();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    c.globals.emplace_back();
    if (!r.keep(memory.variable_contents(i), variables[i].size, &c.globals.back())) return false;
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
inline CapturedLaunch *record_before(Recorder &r, const DeviceMemory &memory, LaunchFacts &facts) {
  auto *c = new CapturedLaunch;
  c->head = facts.head;
  c->kernel = facts.mangled;
  c->buffers = reachable(memory, facts.arguments);
  c->global_pointers = facts.arguments.globals;
  if (store_before(r, memory, *c)) return c;
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

// Whether a launch is worth recording, and its record: null, with a line that says why, or begun.
template <class Prepare>
CapturedLaunch *begin_record(Recorder &r, const DeviceMemory &memory, LaunchFacts &facts,
                             Prepare prepare) {
  KernelBudget &budget = r.kernels[facts.mangled];
  budget.name = facts.probe.kernel;
  bool wanted = budget.wants(facts.shape);
  if (!facts.arguments.replayable || !wanted) {
    write_skipped(r, budget, facts.head, wanted ? "unreplayable" : "cap-launches");
    return nullptr;
  }
  prepare();
  CapturedLaunch *c = leaves_room(r, budget, facts) ? record_before(r, memory, facts) : nullptr;
  if (c) budget.accept(facts.shape);
  else write_skipped(r, budget, facts.head, "cap-bytes");
  return c;
}

// The lists of buffers and variables after a launch; false when a content does not fit.
inline bool record_after(Recorder &r, const DeviceMemory &memory, const CapturedLaunch &c,
                         std::string *lists) {
  std::string buffers, globals;
  bool fits = true;
  for (const CapturedBuffer &b : c.buffers) {
    std::string after;
    fits = r.keep(memory.contents(b.allocation), b.allocation.size, &after) && fits;
    buffers += (buffers.empty() ? "" : ", ") + ("{\"alloc\": " + std::to_string(b.allocation.id)) +
               ", \"size\": " + std::to_string(b.allocation.size) + ", \"before\": \"" + b.before +
               "\", \"after\": \"" + after + "\"" +
               (b.pointers.empty() ? "" : ", \"pointers\": " + b.pointers) + "}";
  }
  const std::vector<CapturedVariable> variables = memory.variables();
  for (std::size_t i = 0; i < variables.size() && i < c.globals.size(); ++i) {
    const CapturedVariable &v = variables[i];
    std::string after;
    fits = r.keep(memory.variable_contents(i), v.size, &after) && fits;
    auto pointers = c.global_pointers.find(v.name);
    globals += std::string(globals.empty() ? "" : ", ") + "{\"name\": " + json_string(v.name) +
               ", \"space\": \"" + v.space + "\", \"size\": " + std::to_string(v.size) +
               ", \"before\": \"" + c.globals[i] + "\", \"after\": \"" + after + "\"" +
               (pointers == c.global_pointers.end()
                    ? ""
                    : ", \"pointers\": " + pointer_list(pointers->second)) +
               "}";
  }
  *lists = ", \"buffers\": [" + buffers + "], \"globals\": [" + globals + "]";
  return fits;
}

// Ends the record of a launch.
inline void finish_record(Recorder &r, const DeviceMemory &memory, CapturedLaunch *c, bool failed) {
  std::string lists;
  bool fits = record_after(r, memory, *c, &lists);
  if (fits && !failed) {
    std::fprintf(r.launches, "%s%s, \"skipped\": null}\n", c->head.c_str(), lists.c_str());
  } else {
    r.kernels[c->kernel].captured--;
    write_skipped(r, r.kernels[c->kernel], c->head, failed ? "unreplayable" : "cap-bytes");
  }
  delete c;
}

}  // namespace cuda_emu
