// What a launch was given: its kernel's name, its arguments, and the memory that they reach.
#pragma once

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "json_text.h"
#include "memory.h"
#include "probe.h"
#include "streams.h"
#include "symbols.h"

namespace cuda_emu {

struct CapturedBuffer {
  Allocation allocation;
  std::string before;
  std::vector<std::size_t> pointers_at;  // words that hold the address of an allocation
};

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

// Everything about a launch that is known before it runs.
struct LaunchFacts {
  Probe probe;
  std::string mangled;
  std::string shape;  // launches of one shape are alike: grid, block, shared bytes, scalars
  std::string head;   // the JSON object up to its buffers
  ArgumentFacts arguments;
};

// Asks the kernel. A kernel that does not answer has no entry hook: nothing can be said of the run.
inline LaunchFacts launch_facts(LaunchState &launch, int sequence) {
  LaunchFacts f;
  probe = &f.probe;
  launch.once(launch.closure);
  probe = nullptr;
  if (!f.probe.answered) {
    std::fprintf(stderr, "cuda_emu: a kernel without an entry hook was launched; "
                         "its run cannot be captured\n");
    std::fflush(nullptr);
    std::_Exit(3);
  }
  const Config &c = launch.config;
  f.mangled = mangled_name(f.probe);
  f.arguments = argument_facts(f.probe);
  f.shape = triple(c.grid) + triple(c.block) + std::to_string(c.shared_bytes) + f.arguments.scalars;
  f.head = "{\"seq\": " + std::to_string(sequence) + ", \"kernel\": " +
           json_string(f.probe.kernel) + ", \"mangled\": " + json_string(f.mangled) +
           ", \"pretty\": " + json_string(f.probe.pretty) + ", \"grid\": " + triple(c.grid) +
           ", \"block\": " + triple(c.block) + ", \"shared_bytes\": " +
           std::to_string(c.shared_bytes) + ", \"stream\": " + std::to_string(stream_id(c.stream)) +
           ", \"args\": " + f.arguments.json;
  return f;
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
