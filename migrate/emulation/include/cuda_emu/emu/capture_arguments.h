// What a launch was given: its kernel's name, its arguments, and the memory that they reach.
#pragma once

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "argument.h"
#include "capture_memory.h"
#include "capture_types.h"
#include "json_text.h"

namespace cuda_emu {

struct CapturedBuffer {
  Region allocation;
  std::string before;
  std::vector<std::size_t> pointers_at;  // words that hold the address of an allocation
  std::string pointers;                  // the same before the launch, as JSON
};

// A type local to a function has the function's mangled name in its own: Z <function> E <type>.
inline std::string mangled_name(const Probe &p, const char *type = "E12cuda_emu_tag") {
  std::string tag = p.tag;
  if (!tag.empty() && tag[0] == '*') tag.erase(0, 1);
  std::size_t end = tag.rfind(type);
  if (tag.empty() || tag[0] != 'Z' || end == std::string::npos) return tag;
  std::string function = tag.substr(1, end - 1);
  std::string name = p.kernel;
  if (function == std::to_string(name.size()) + name) return name;  // extern "C"
  return "_Z" + function;
}

inline std::string pointer_list(const std::vector<PointerWord> &words) {
  std::string out = "[";
  for (const PointerWord &w : words) {
    if (out.size() > 1) out += ", ";
    out += "{\"at\": " + std::to_string(w.at) + ", \"alloc\": " + std::to_string(w.target.id) +
           ", \"offset\": " + std::to_string(w.offset) + "}";
  }
  return out + "]";
}

struct ArgumentFacts {
  std::string json;
  std::string scalars;  // bytes of all scalars: part of the launch's shape
  bool replayable = true;
  std::map<int, Region> reached;
  std::map<int, std::vector<std::size_t>> positions;  // of pointers in what is reached
  std::map<std::string, std::vector<PointerWord>> globals;
};

inline std::string pointer_argument(const DeviceMemory &memory, const Argument &a,
                                    ArgumentFacts &facts) {
  PointerWord found{};
  std::uintptr_t address;
  std::memcpy(&address, a.bytes.data(), sizeof address);
  int alloc = -1;
  if (address && locate_word(memory, a.bytes.data(), 0, &found)) {
    alloc = found.target.id;
    facts.reached.emplace(alloc, found.target);
  } else if (address) {
    alloc = -2;
    facts.replayable = false;
  }
  return "\"kind\": \"pointer\", \"elem\": \"" + std::string(a.type) +
         "\", \"elem_size\": " + std::to_string(a.size) +
         ", \"const\": " + (a.is_const ? "true" : "false") + ", \"alloc\": " +
         std::to_string(alloc) + ", \"offset\": " + std::to_string(found.offset);
}

// By their values, one level deep: for a kernel whose types nobody told.
inline void reach_by_value(const DeviceMemory &memory, const Probe &p, ArgumentFacts &facts,
                           std::vector<std::vector<PointerWord>> *inside) {
  std::map<int, Region> search;
  for (std::size_t i = 0; i < p.arguments.size(); ++i) {
    const Argument &a = p.arguments[i];
    const std::string type = a.type;
    if (a.kind == ArgKind::structure) {
      (*inside)[i] = words_by_value(memory, a.bytes.data(), a.bytes.size());
      for (const PointerWord &w : (*inside)[i]) search.emplace(w.target.id, w.target);
    }
    PointerWord w;
    if (a.kind == ArgKind::pointer && locate_word(memory, a.bytes.data(), 0, &w) &&
        (type == "struct" || type == "pointer" || type == "void" || type == "u64" || type == "i64"))
      search.emplace(w.target.id, w.target);
  }
  const std::vector<CapturedVariable> variables = memory.variables();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    auto words = words_by_value(memory, memory.variable_contents(i), variables[i].size);
    for (const PointerWord &w : words) facts.reached.emplace(w.target.id, w.target);
    if (!words.empty()) facts.globals[variables[i].name] = words;
  }
  facts.reached.insert(search.begin(), search.end());
  std::map<int, Region> inner;
  for (const auto &entry : search)
    for (const PointerWord &w :
         words_by_value(memory, memory.contents(entry.second), entry.second.size)) {
      facts.positions[entry.first].push_back(w.at);
      inner.emplace(w.target.id, w.target);
    }
  facts.reached.insert(inner.begin(), inner.end());
}

// By the types that the front end knows. `types` are those of the kernel's parameters.
inline void reach_by_type(const DeviceMemory &memory, const Probe &p, const TypeTable &table,
                          const std::vector<int> &types, ArgumentFacts &facts,
                          std::vector<std::vector<PointerWord>> *inside) {
  TypedWalk walk(memory, table);
  for (std::size_t i = 0; i < p.arguments.size() && i < types.size(); ++i) {
    const Argument &a = p.arguments[i];
    (*inside)[i] = walk.value(a.bytes.data(), a.bytes.size(), types[i]);
  }
  const std::vector<CapturedVariable> variables = memory.variables();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    int type = table.global(variables[i].name);
    auto words = walk.value(memory.variable_contents(i), variables[i].size, type);
    if (!words.empty()) facts.globals[variables[i].name] = words;
  }
  walk.follow();
  facts.replayable = facts.replayable && walk.complete();
  facts.reached.insert(walk.reached().begin(), walk.reached().end());
  for (const auto &entry : facts.reached) {
    std::vector<std::size_t> at = walk.positions(entry.first);
    if (!at.empty()) facts.positions[entry.first] = at;
  }
}

inline ArgumentFacts argument_facts(const DeviceMemory &memory, const Probe &p,
                                    const std::string &mangled) {
  ArgumentFacts facts;
  std::vector<std::vector<PointerWord>> inside(p.arguments.size());
  const TypeTable *table = type_table();
  const std::vector<int> *types = table ? table->kernel(mangled) : nullptr;
  if (types && types->size() == p.arguments.size())
    reach_by_type(memory, p, *table, *types, facts, &inside);
  else
    reach_by_value(memory, p, facts, &inside);
  facts.json = "[";
  for (std::size_t i = 0; i < p.arguments.size(); ++i) {
    const Argument &a = p.arguments[i];
    if (facts.json.size() > 1) facts.json += ", ";
    facts.json += "{\"name\": " + json_string(a.name) + ", ";
    std::string bytes = hex(a.bytes.data(), a.bytes.size());
    switch (a.kind) {
      case ArgKind::pointer: facts.json += pointer_argument(memory, a, facts); break;
      case ArgKind::scalar:
        facts.json += "\"kind\": \"" + std::string(a.type) + "\", \"bytes\": \"" + bytes + "\"";
        facts.scalars += bytes;
        break;
      case ArgKind::structure:
        facts.json += "\"kind\": \"struct\", \"size\": " + std::to_string(a.size) +
                      ", \"bytes\": \"" + bytes + "\", \"pointers\": " + pointer_list(inside[i]);
        for (const PointerWord &w : inside[i]) facts.reached.emplace(w.target.id, w.target);
        break;
    }
    facts.json += "}";
  }
  facts.json += "]";
  return facts;
}

// What is known of a launch before it runs, whoever makes it.
struct LaunchShape {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::size_t shared_bytes = 0;
  int stream = 0;
};

inline std::string triple(const unsigned (&d)[3]) {
  return "[" + std::to_string(d[0]) + ", " + std::to_string(d[1]) + ", " + std::to_string(d[2]) +
         "]";
}

struct LaunchFacts {
  Probe probe;
  std::string mangled;
  std::string shape;  // launches of one shape are alike: grid, block, shared bytes, scalars
  std::string head;   // the JSON object up to its buffers
  ArgumentFacts arguments;
};

// Fills in what follows from the probe and the mangled name.
inline void complete_facts(const DeviceMemory &memory, const LaunchShape &s, int sequence,
                           LaunchFacts &f) {
  f.arguments = argument_facts(memory, f.probe, f.mangled);
  f.shape = triple(s.grid) + triple(s.block) + std::to_string(s.shared_bytes) + f.arguments.scalars;
  f.head = "{\"seq\": " + std::to_string(sequence) + ", \"kernel\": " +
           json_string(f.probe.kernel) + ", \"mangled\": " + json_string(f.mangled) +
           ", \"pretty\": " + json_string(f.probe.pretty) + ", \"grid\": " + triple(s.grid) +
           ", \"block\": " + triple(s.block) + ", \"shared_bytes\": " +
           std::to_string(s.shared_bytes) + ", \"stream\": " + std::to_string(s.stream) +
           ", \"args\": " + f.arguments.json;
}

inline std::vector<CapturedBuffer> reachable(const DeviceMemory &memory, ArgumentFacts &facts) {
  std::vector<CapturedBuffer> buffers;
  for (const auto &entry : facts.reached) {
    CapturedBuffer b{entry.second, "", facts.positions[entry.first], ""};
    std::vector<PointerWord> words;
    const unsigned char *bytes = b.pointers_at.empty() ? nullptr : memory.contents(b.allocation);
    for (std::size_t at : b.pointers_at) {
      PointerWord w;
      if (locate_word(memory, bytes, at, &w)) words.push_back(w);
    }
    if (!words.empty()) b.pointers = pointer_list(words);
    buffers.push_back(b);
  }
  return buffers;
}

}  // namespace cuda_emu
