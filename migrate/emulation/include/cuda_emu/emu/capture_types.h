// Where pointers lie in what a kernel is given, as the front end knows it (CUDAMIGRATE_LAYOUTS).
//
// A file of words, one type, kernel or variable a line:
//
//   type ID SIZE AT:POINTEE...     a type that holds pointers: at which bytes, to which types
//   kernel MANGLED TYPE...         the types of its parameters; `-` holds no pointer
//   global NAME TYPE               a device variable
//
// A pointee without pointers of its own is `-` too. A kernel that is not listed is one that the front
// end does not know; its pointers are then looked for by their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "capture_memory.h"

namespace cuda_emu {

inline constexpr int no_pointers = -1;

struct PointerLayout {
  std::size_t size = 0;
  std::vector<std::pair<std::size_t, int>> pointers;  // byte offset, type of the pointee
};

struct TypeTable {
  std::map<int, PointerLayout> types;
  std::map<std::string, std::vector<int>> kernels, globals;

  const std::vector<int> *kernel(const std::string &mangled) const {
    auto at = kernels.find(mangled);
    return at == kernels.end() ? nullptr : &at->second;
  }
  int global(const std::string &name) const {
    auto at = globals.find(name);
    return at == globals.end() ? no_pointers : at->second.front();
  }
};

inline int type_number(const std::string &word) {
  return word == "-" ? no_pointers : std::atoi(word.c_str());
}

inline TypeTable read_types(const char *path) {
  TypeTable table;
  std::ifstream in(path);
  for (std::string line, command, name, word; std::getline(in, line);) {
    std::istringstream words(line);
    words >> command >> name;
    if (command == "type") {
      PointerLayout &layout = table.types[std::atoi(name.c_str())];
      words >> layout.size;
      while (words >> word) {
        std::size_t colon = word.find(':');
        layout.pointers.emplace_back(std::strtoull(word.c_str(), nullptr, 10),
                                     type_number(word.substr(colon + 1)));
      }
    } else if (command == "kernel" || command == "global") {
      std::vector<int> &types = (command == "kernel" ? table.kernels : table.globals)[name];
      types.clear();
      while (words >> word) types.push_back(type_number(word));
      if (command == "global" && types.empty()) types.push_back(no_pointers);
    }
  }
  return table;
}

// The table of this run; null when the front end gave none.
inline const TypeTable *type_table() {
  static const TypeTable *table = [] {
    const char *path = std::getenv("CUDAMIGRATE_LAYOUTS");
    return path && *path ? new TypeTable(read_types(path)) : nullptr;
  }();
  return table;
}

// A word that holds the address of an allocation.
struct PointerWord {
  std::size_t at;
  Region target;
  std::size_t offset;
};

inline bool locate_word(const DeviceMemory &memory, const unsigned char *bytes, std::size_t at,
                        PointerWord *found) {
  std::uintptr_t word;
  std::memcpy(&word, bytes + at, sizeof word);
  Region region;
  if (!word || !memory.locate(word, &region)) return false;
  *found = {at, region, static_cast<std::size_t>(word - region.base)};
  return true;
}

// Every aligned word whose value lies in an allocation.
inline std::vector<PointerWord> words_by_value(const DeviceMemory &memory,
                                               const unsigned char *bytes, std::size_t count) {
  std::uintptr_t low, high, word;
  memory.bounds(&low, &high);
  std::vector<PointerWord> out;
  for (std::size_t at = 0; at + 8 <= count; at += 8) {
    PointerWord found;
    std::memcpy(&word, bytes + at, sizeof word);
    if (word >= low && word <= high && locate_word(memory, bytes, at, &found)) out.push_back(found);
  }
  return out;
}

// Follows pointers through memory by their types: breadth first, so that the shortest way to an
// allocation counts. What lies deeper than the caps is not followed, and the launch says so.
class TypedWalk {
 public:
  TypedWalk(const DeviceMemory &memory, const TypeTable &table) : memory_(memory), table_(table) {}

  // Pointers in a value of a type, which is no allocation: an argument, a variable.
  std::vector<PointerWord> value(const unsigned char *bytes, std::size_t count, int type) {
    return elements(bytes, count, 0, type);
  }
  // Goes through every allocation found so far and those behind.
  void follow() {
    for (int depth = 0; !pending_.empty(); ++depth) {
      std::vector<Visit> now;
      now.swap(pending_);
      if (depth >= most_levels) {
        complete_ = false;
        return;
      }
      for (const Visit &v : now) {
        const unsigned char *bytes = memory_.contents(v.region);
        for (const PointerWord &w : elements(bytes, v.region.size, v.phase, v.type))
          positions_[v.region.id].insert(w.at);
      }
    }
  }
  const std::map<int, Region> &reached() const { return reached_; }
  std::vector<std::size_t> positions(int id) const {
    auto at = positions_.find(id);
    if (at == positions_.end()) return {};
    return std::vector<std::size_t>(at->second.begin(), at->second.end());
  }
  bool complete() const { return complete_; }

 private:
  struct Visit {
    Region region;
    int type;
    std::size_t phase;
  };
  static constexpr int most_levels = 8;
  static constexpr std::size_t most_regions = 4096, most_words = std::size_t{1} << 20;

  std::vector<PointerWord> elements(const unsigned char *bytes, std::size_t count,
                                    std::size_t first, int type) {
    std::vector<PointerWord> out;
    auto known = table_.types.find(type);
    if (known == table_.types.end() || !known->second.size) return out;
    const PointerLayout &layout = known->second;
    for (std::size_t start = first; start + layout.size <= count; start += layout.size)
      for (const auto &member : layout.pointers) {
        PointerWord w;
        if (member.first + 8 > layout.size ||
            !locate_word(memory_, bytes, start + member.first, &w))
          continue;
        if (++words_ > most_words || reached_.size() > most_regions) {
          complete_ = false;
          return out;
        }
        out.push_back(w);
        reach(w, member.second);
      }
    return out;
  }
  void reach(const PointerWord &w, int pointee) {
    reached_.emplace(w.target.id, w.target);
    auto layout = table_.types.find(pointee);
    if (layout == table_.types.end() || !layout->second.size) return;
    std::size_t phase = w.offset % layout->second.size;
    if (seen_.insert({{w.target.id, pointee}, phase}).second)
      pending_.push_back({w.target, pointee, phase});
  }

  const DeviceMemory &memory_;
  const TypeTable &table_;
  std::map<int, Region> reached_;
  std::map<int, std::set<std::size_t>> positions_;
  std::set<std::pair<std::pair<int, int>, std::size_t>> seen_;
  std::vector<Visit> pending_;
  std::size_t words_ = 0;
  bool complete_ = true;
};

}  // namespace cuda_emu
