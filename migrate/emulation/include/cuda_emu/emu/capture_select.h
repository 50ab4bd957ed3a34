// Which launches of a kernel are worth their bytes.
#pragma once

#include <cstdlib>
#include <set>
#include <string>

namespace cuda_emu {

inline int capture_max_launches() {
  static const int limit = [] {
    const char *text = std::getenv("CUDAMIGRATE_CAPTURE_MAX_LAUNCHES");
    int value = text ? std::atoi(text) : 3;
    return value < 0 ? 0 : value;
  }();
  return limit;
}

// The first launch, then launches of a new shape (grid, block, scalars). Launches of a shape already
// held come second: at the 2nd, 10th, 100th ... launch, and never into the last free place.
struct KernelBudget {
  std::string name;
  int launches = 0;
  int captured = 0;
  int skipped_lines = 0;
  std::set<std::string> shapes;

  bool wants(const std::string &shape) {
    int number = ++launches;
    int limit = capture_max_launches();
    if (captured >= limit) return false;
    if (!shapes.count(shape)) return true;
    if (captured + 1 >= limit) return false;
    bool spread = number == 2;
    for (long power = 10; power <= number; power *= 10) spread = spread || number == power;
    return spread;
  }
  void accept(const std::string &shape) {
    shapes.insert(shape);
    ++captured;
  }
};

}  // namespace cuda_emu
