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

#include "capture_select.h"
#include "content_hash.h"
#include "json_text.h"
#include "memory.h"
#include "streams.h"
#include "symbols.h"

namespace cuda_emu {

struct CapturedBuffer {
  Allocation allocation;
  std::string before;
  std::vector<std::size_t> pointers_at;  // words that hold the address of an allocation
};

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

// A type local to a function has the function's mangled name in its own: Z <function> E <type>.
inline std::string mangled_name(const Probe &p) {
  std::string tag = p.tag;
  if (!tag.empty() && tag[0] == '*') tag.erase(0, 1);
  std::size_t end = tag.rfind("E12cuda_emu_tag");
  if (tag.empty() || tag[0] != 'Z' || end == std::string::npos) return tag;
  std::string function = tag.substr(1, end - 1);
  std::string name = p.kernel;
  if (function == std::to_string(name.size()) + name) return name;  // extern "C"
  return "_Z" + function;
}

inline bool locate(std::uintptr_t word, Allocation *found, std::size_t *offset) {
  if (!find_allocation(word, found, true) || found->id < 0) return false;
  *offset = word - found->base;
  return true;
}

inline std::string pointer_list(const unsigned char *bytes, std::size_t count,
                                std::map<int, Allocation> *reached,
                                std::vector<std::size_t> *positions) {
  std::uintptr_t low, high;
  address_bounds(&low, &high);
  std::string out = "[";
  for (std::size_t at = 0; at + 8 <= count; at += 8) {
    std::uintptr_t word;
    std::memcpy(&word, bytes + at, 8);
    Allocation found;
    std::size_t offset = 0;
    if (word < low || word > high || !locate(word, &found, &offset)) continue;
    if (reached) reached->emplace(found.id, found);
    if (positions) positions->push_back(at);
    if (out.size() > 1) out += ", ";
    out += "{\"at\": " + std::to_string(at) + ", \"alloc\": " + std::to_string(found.id) +
           ", \"offset\": " + std::to_string(offset) + "}";
  }
  return out + "]";
}

struct ArgumentFacts {
  std::string json;
  std::string scalars;                 // bytes of all scalars: part of the launch's shape
  bool replayable = true;
  std::map<int, Allocation> reached;
  std::set<int> may_hold_pointers;     // buffers whose contents are searched for pointers
};

inline std::string pointer_argument(const Argument &a, ArgumentFacts &facts) {
  std::uintptr_t address;
  std::memcpy(&address, a.bytes.data(), sizeof address);
  int alloc = -1;
  std::size_t offset = 0;
  Allocation found;
  if (address && locate(address, &found, &offset)) {
    alloc = found.id;
    facts.reached.emplace(found.id, found);
    std::string type = a.type;
    if (type == "struct" || type == "pointer" || type == "void" || type == "u64" || type == "i64")
      facts.may_hold_pointers.insert(found.id);
  } else if (address) {
    alloc = -2;
    facts.replayable = false;
  }
  return "\"kind\": \"pointer\", \"elem\": \"" + std::string(a.type) +
         "\", \"elem_size\": " + std::to_string(a.size) +
         ", \"const\": " + (a.is_const ? "true" : "false") + ", \"alloc\": " +
         std::to_string(alloc) + ", \"offset\": " + std::to_string(offset);
}

inline ArgumentFacts argument_facts(const Probe &p) {
  ArgumentFacts facts;
  facts.json = "[";
  for (const Argument &a : p.arguments) {
    if (facts.json.size() > 1) facts.json += ", ";
    facts.json += "{\"name\": " + json_string(a.name) + ", ";
    std::string bytes = hex(a.bytes.data(), a.bytes.size());
    switch (a.kind) {
      case ArgKind::pointer: facts.json += pointer_argument(a, facts); break;
      case ArgKind::scalar:
        facts.json += "\"kind\": \"" + std::string(a.type) + "\", \"bytes\": \"" + bytes + "\"";
        facts.scalars += bytes;
        break;
      case ArgKind::structure:
        facts.json += "\"kind\": \"struct\", \"size\": " + std::to_string(a.size) +
                      ", \"bytes\": \"" + bytes + "\", \"pointers\": " +
                      pointer_list(a.bytes.data(), a.bytes.size(), &facts.reached, nullptr);
        for (const auto &entry : facts.reached) facts.may_hold_pointers.insert(entry.first);
        break;
    }
    facts.json += "}";
  }
  facts.json += "]";
  return facts;
}

inline std::string triple(const dim3 &d) {
  return "[" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + "]";
}

// Buffers reachable from the arguments and from device variables that hold pointers and, one level,
// from pointers inside those buffers.
inline std::vector<CapturedBuffer> reachable(ArgumentFacts &facts) {
  for (const DeviceVariable &v : device_variables())
    pointer_list(static_cast<const unsigned char *>(v.address), v.size, &facts.reached, nullptr);
  std::map<int, Allocation> inner;
  std::map<int, std::vector<std::size_t>> positions;
  for (const auto &entry : facts.reached)
    if (facts.may_hold_pointers.count(entry.first))
      pointer_list(reinterpret_cast<const unsigned char *>(entry.second.base), entry.second.size,
                   &inner, &positions[entry.first]);
  for (const auto &entry : inner) facts.reached.emplace(entry.first, entry.second);
  std::vector<CapturedBuffer> buffers;
  for (const auto &entry : facts.reached)
    buffers.push_back({entry.second, "", positions[entry.first]});
  return buffers;
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

CUDA_EMU_API CapturedLaunch *capture_before(LaunchState &launch) {
  Recorder &r = *recorder();
  std::lock_guard<std::mutex> lock(r.mutex);
  Probe p;
  probe = &p;
  launch.once(launch.closure);
  probe = nullptr;
  if (!p.answered) {
    std::fprintf(stderr, "cuda_emu: a kernel without an entry hook was launched; "
                         "its run cannot be captured\n");
    std::fflush(nullptr);
    std::_Exit(3);
  }
  int sequence = r.sequence++;
  std::string mangled = mangled_name(p);
  KernelBudget &budget = r.kernels[mangled];
  budget.name = p.kernel;
  ArgumentFacts facts = argument_facts(p);
  std::string shape = triple(launch.config.grid) + triple(launch.config.block) +
                      std::to_string(launch.config.shared_bytes) + facts.scalars;
  std::string head = "{\"seq\": " + std::to_string(sequence) + ", \"kernel\": " +
                     json_string(p.kernel) + ", \"mangled\": " + json_string(mangled) +
                     ", \"pretty\": " + json_string(p.pretty) + ", \"grid\": " +
                     triple(launch.config.grid) + ", \"block\": " + triple(launch.config.block) +
                     ", \"shared_bytes\": " + std::to_string(launch.config.shared_bytes) +
                     ", \"stream\": " + std::to_string(stream_id(launch.config.stream)) +
                     ", \"args\": " + facts.json;
  bool wanted = budget.wants(shape);
  if (!facts.replayable) {
    write_skipped(r, budget, head, "unreplayable");
    return nullptr;
  }
  if (!wanted) {
    write_skipped(r, budget, head, "cap-launches");
    return nullptr;
  }
  auto *c = new CapturedLaunch;
  c->head = head;
  c->kernel = mangled;
  c->buffers = reachable(facts);
  poison_outputs(p);
  if (!store_before(r, *c)) {
    write_skipped(r, budget, head, "cap-bytes");
    delete c;
    return nullptr;
  }
  budget.accept(shape);
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

CUDA_EMU_API void capture_after(CapturedLaunch *c, bool failed) {
  Recorder &r = *recorder();
  std::lock_guard<std::mutex> lock(r.mutex);
  check_guards(("after kernel " + r.kernels[c->kernel].name).c_str());
  std::string buffers, globals;
  bool fits = true;
  for (const CapturedBuffer &b : c->buffers) {
    const void *bytes = reinterpret_cast<const void *>(b.allocation.base);
    std::string after = content_hash(bytes, b.allocation.size);
    fits = fits && store_blob(r, after, bytes, b.allocation.size);
    buffers += (buffers.empty() ? "" : ", ") + buffer_json(b, after);
  }
  for (const CapturedGlobal &g : c->globals) {
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
  if (fits && !failed) {
    std::fprintf(r.launches, "%s, \"buffers\": [%s], \"globals\": [%s], \"skipped\": null}\n",
                 c->head.c_str(), buffers.c_str(), globals.c_str());
  } else {
    r.kernels[c->kernel].captured--;
    write_skipped(r, r.kernels[c->kernel], c->head, failed ? "unreplayable" : "cap-bytes");
  }
  delete c;
}

CUDA_EMU_API void record_argument(const char *names, unsigned position, ArgKind kind,
                                  const char *type, std::size_t size, bool is_const,
                                  const void *value, std::size_t value_bytes) {
  // The entry hook's own argument text: "n, x, rest...". Past its end the last one is a pack.
  std::string text = names, name;
  unsigned at = 0;
  std::size_t start = 0;
  for (;;) {
    std::size_t comma = text.find(',', start);
    name = text.substr(start, comma == std::string::npos ? comma : comma - start);
    if (at == position || comma == std::string::npos) break;
    start = comma + 1;
    ++at;
  }
  while (!name.empty() && name.front() == ' ') name.erase(0, 1);
  std::size_t dots = name.find("...");
  if (dots != std::string::npos) name = name.substr(0, dots) + std::to_string(position - at);
  Argument a;
  a.name = name;
  a.kind = kind;
  a.type = type;
  a.size = size;
  a.is_const = is_const;
  a.bytes.assign(static_cast<const unsigned char *>(value),
                 static_cast<const unsigned char *>(value) + value_bytes);
  probe->arguments.push_back(a);
}

}  // namespace cuda_emu
