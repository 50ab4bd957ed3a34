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
#include "content_hash.h"
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

struct Recorder {
  std::string directory;
  std::FILE *launches = nullptr;
  std::uint64_t max_bytes = 512ull << 20;
  std::uint64_t stored_bytes = 0;  // without pages that repeat one word
  std::uint64_t raw_bytes = 0;
  int sequence = 0;
  std::set<std::string> stored;
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

// Bytes that will be left when repetition is packed away: pages of one repeated word cost nothing.
// Large buffers are often mostly poison or zeros, and should not use up the cap.
inline std::uint64_t weight(const void *bytes, std::size_t count) {
  const auto *in = static_cast<const unsigned char *>(bytes);
  constexpr std::size_t page = 4096;
  std::uint64_t total = count % page;
  for (std::size_t at = 0; at + page <= count; at += page)
    if (std::memcmp(in + at, in + at + 8, page - 8) != 0) total += page;
  return total;
}

// Stores a content once. False if it does not fit under the cap (the raw sizes: under eight times it).
inline bool store_blob(Recorder &r, const std::string &hash, const void *bytes, std::size_t count) {
  if (r.stored.count(hash)) return true;
  std::uint64_t cost = weight(bytes, count);
  if (r.stored_bytes + cost > r.max_bytes || r.raw_bytes + count > 8 * r.max_bytes) return false;
  std::string path = r.directory + "/blobs/" + hash + ".bin";
  std::FILE *out = std::fopen(path.c_str(), "wb");
  bool ok = out && std::fwrite(bytes, 1, count, out) == count;
  if (out) ok = std::fclose(out) == 0 && ok;
  if (!ok) {
    std::remove(path.c_str());
    return false;
  }
  r.stored.insert(hash);
  r.stored_bytes += cost;
  r.raw_bytes += count;
  return true;
}

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
    b.before = content_hash(bytes, b.allocation.size);
    if (!store_blob(r, b.before, bytes, b.allocation.size)) return false;
  }
  for (const DeviceVariable &v : device_variables()) {
    c.globals.push_back({v, content_hash(v.address, v.size)});
    if (!store_blob(r, c.globals.back().before, v.address, v.size)) return false;
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
  CapturedLaunch *c = record_before(r, facts);
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
    std::string after = content_hash(bytes, b.allocation.size);
    fits = fits && store_blob(r, after, bytes, b.allocation.size);
    buffers += (buffers.empty() ? "" : ", ") + buffer_json(b, after);
  }
  for (const CapturedGlobal &g : c.globals) {
    std::string after = content_hash(g.variable.address, g.variable.size);
    fits = fits && store_blob(r, after, g.variable.address, g.variable.size);
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
