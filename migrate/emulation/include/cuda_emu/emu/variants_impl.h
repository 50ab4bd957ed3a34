// Further runs of one launch (CUDAMIGRATE_VARIANTS): on other data, with a smaller size or grid, in
// another order of threads. Each is run in a process of its own, forked at the moment of the launch,
// so that whatever it does to memory, or to itself, leaves the program as it was.
//
// The file named by CUDAMIGRATE_VARIANTS holds words, one command a line:
//
//   variant NAME SEQ MANGLED    starts one; its result is a line in `launches.jsonl`
//   order forward|reverse|scattered
//   guard N                     0 or 1: what the zones around allocations hold
//   instead 1                   run the kernel MANGLED with the arguments of the launch SEQ of another
//                               instance of its template; fails where an algorithm of CUB is for
//                               blocks of another size
//   fresh 1                     memory that nobody wrote holds other words, shared memory as well
//   sums 1                      keep what floating-point atomic additions added up
//   grid X Y Z
//   scalar POSITION HEX         bytes of an argument, little endian
//   expect ALLOC HASH           content that the run must find, or it is not the run that was meant
//   buffer ALLOC FILE           content to put there; the file lies beside the job file
//
// The program ends with the last variant.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace cuda_emu {

inline void run_blocks(LaunchState &launch);  // launch_impl.h

struct Variant {
  std::string name, mangled, order = "forward";
  int sequence = -1;
  int guard = 0;
  bool sums = false, instead = false, fresh = false;
  std::vector<unsigned> grid;
  std::vector<std::pair<unsigned, std::string>> scalars;
  std::map<int, std::string> expected, files;
};

inline std::vector<Variant> read_variants(const char *path) {
  std::vector<Variant> out;
  std::ifstream in(path);
  std::string folder(path, std::strrchr(path, '/') ? std::strrchr(path, '/') + 1 : path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string command, text;
    int number = 0;
    words >> command;
    if (command == "variant") {
      out.emplace_back();
      words >> out.back().name >> out.back().sequence >> out.back().mangled;
    }
    if (out.empty()) continue;
    Variant &v = out.back();
    if (command == "order") words >> v.order;
    if (command == "guard") words >> v.guard;
    if (command == "sums") v.sums = true;
    if (command == "fresh") v.fresh = true;
    if (command == "instead") v.instead = true;
    if (command == "grid") for (unsigned n; words >> n;) v.grid.push_back(n);
    if (command == "scalar" && words >> number >> text) v.scalars.emplace_back(number, text);
    if (command == "expect") words >> number >> v.expected[number];
    if (command == "buffer" && words >> number >> text) v.files[number] = folder + text;
  }
  return out;
}

inline const std::vector<Variant> &variants() {
  static const auto *asked = [] {
    const char *path = std::getenv("CUDAMIGRATE_VARIANTS");
    return new std::vector<Variant>(path && *path ? read_variants(path) : std::vector<Variant>());
  }();
  return *asked;
}

inline bool variants_asked() {
  static const bool asked = std::getenv("CUDAMIGRATE_VARIANTS") != nullptr;
  return asked;
}

inline unsigned variant_seconds() {
  const char *text = std::getenv("CUDAMIGRATE_VARIANT_SECONDS");
  int seconds = text ? std::atoi(text) : 0;
  return seconds > 0 ? static_cast<unsigned>(seconds) : 10u;
}

// --- before the run: nothing is touched until all of it is known to fit -------------------------

inline std::string content_fault(const Variant &v, const std::vector<CapturedBuffer> &buffers) {
  std::map<int, std::string> expected = v.expected;
  for (const CapturedBuffer &b : buffers) {
    auto wanted = expected.find(b.allocation.id);
    if (wanted == expected.end()) continue;
    if (content_name(reinterpret_cast<const void *>(b.allocation.base), b.allocation.size) !=
        wanted->second)
      return "another-run";
    expected.erase(wanted);
  }
  return expected.empty() ? "" : "another-run";
}

inline bool set_buffers(const Variant &v, const std::vector<CapturedBuffer> &buffers) {
  std::size_t found = 0;
  for (const CapturedBuffer &b : buffers) {
    auto file = v.files.find(b.allocation.id);
    if (file == v.files.end()) continue;
    std::ifstream in(file->second, std::ios::binary);
    in.read(reinterpret_cast<char *>(b.allocation.base), static_cast<std::streamsize>(b.allocation.size));
    if (static_cast<std::size_t>(in.gcount()) != b.allocation.size) return false;
    ++found;
  }
  return found == v.files.size();
}

// Arguments are set where the host's call holds them; null pointer constants are not among them, so
// positions are only those of the kernel when the numbers agree.
inline bool set_scalars(const Variant &v, LaunchState &launch, std::size_t parameters) {
  for (const auto &entry : v.scalars) {
    if (launch.slot_count != parameters || entry.first >= parameters) return false;
    const ArgumentSlot &slot = launch.slots[entry.first];
    std::size_t bytes = entry.second.size() / 2;
    if (slot.size < bytes) return false;
    std::memset(slot.address, 0, slot.size);
    for (std::size_t i = 0; i < bytes; ++i)
      static_cast<unsigned char *>(slot.address)[i] = static_cast<unsigned char>(
          std::strtoul(entry.second.substr(2 * i, 2).c_str(), nullptr, 16));
  }
  return true;
}

// --- memory that nobody wrote --------------------------------------------------------------------

// Words of the reached memory that look unwritten get ordinary numbers in place of the pattern, which
// as a NaN gives the same result whatever is done with it. Those that are still there afterwards were
// not touched and look unwritten again, by units of 16 bits. Words that the kernel has made from such
// memory differ from those of a run with the pattern.
class OtherFresh {
 public:
  explicit OtherFresh(const std::vector<CapturedBuffer> &buffers) {
    for (const CapturedBuffer &b : buffers)
      for (std::size_t at = 0; at + 8 <= b.allocation.size; at += 8) {
        std::uint64_t word;
        std::memcpy(&word, place(b.allocation.base + at), 8);
        if (word != poison_word) continue;
        std::memcpy(place(b.allocation.base + at), &ordinary_word, 8);
        words_.push_back(b.allocation.base + at);
      }
    fresh_word = ordinary_word;
  }
  void restore() {
    for (std::uintptr_t word : words_)
      for (std::size_t at = 0; at < 8; at += 2)
        if (std::memcmp(place(word + at), &ordinary_word, 2) == 0)
          std::memcpy(place(word + at), &poison_word, 2);
    fresh_word = poison_word;
  }

 private:
  static void *place(std::uintptr_t address) { return reinterpret_cast<void *>(address); }
  std::vector<std::uintptr_t> words_;
};

// --- guard zones ---------------------------------------------------------------------------------

// Two patterns, each with ordinary numbers in it: a read outside of an allocation gives other
// results with the other pattern.
inline unsigned char guard_byte(int guard, std::size_t at) {
  return static_cast<unsigned char>(guard ? 0x41 + at % 4 : 0x3D - at % 4);
}

template <class Act>
void each_guard(Act act) {
  for (auto &entry : memory_table().live) {
    Allocation &a = entry.second;
    if (!a.block) continue;
    act(reinterpret_cast<unsigned char *>(a.block));
    act(reinterpret_cast<unsigned char *>(a.base) + a.size);
  }
}

inline void set_guards(int guard) {
  each_guard([guard](unsigned char *zone) {
    for (std::size_t i = 0; i < guard_bytes; ++i) zone[i] = guard_byte(guard, i);
  });
}

inline int damaged_guards(int guard) {
  int damaged = 0;
  each_guard([&](const unsigned char *zone) {
    for (std::size_t i = 0; i < guard_bytes; ++i)
      if (zone[i] != guard_byte(guard, i)) {
        ++damaged;
        return;
      }
  });
  return damaged;
}

// --- sums ----------------------------------------------------------------------------------------

// One line a location that still holds what the last addition left. A location that was stored to
// afterwards holds something else, and nothing is known of it.
inline void write_sums(const Recorder &r, const Variant &v, const std::vector<CapturedBuffer> &buffers) {
  std::FILE *out = std::fopen((r.directory + "/" + v.name + ".sums").c_str(), "w");
  if (!out) return;
  for (const auto &entry : *sum_ledger) {
    const SumEntry &sum = entry.second;
    for (const CapturedBuffer &b : buffers) {
      std::uintptr_t base = b.allocation.base;
      if (entry.first < base || entry.first + sum.size > base + b.allocation.size) continue;
      if (std::memcmp(reinterpret_cast<const void *>(entry.first), sum.last, sum.size) == 0)
        std::fprintf(out, "%d %zu %u %llu %.17g\n", b.allocation.id,
                     static_cast<std::size_t>(entry.first - base), unsigned{sum.size},
                     static_cast<unsigned long long>(sum.additions), sum.magnitude);
    }
  }
  std::fclose(out);
}

// --- the run -------------------------------------------------------------------------------------

inline void write_result(const std::string &path, const std::string &line) {
  if (std::FILE *out = std::fopen(path.c_str(), "w")) {
    std::fprintf(out, "%s\n", line.c_str());
    std::fclose(out);
  }
}

inline std::string skipped_line(const std::string &head, const std::string &why) {
  return head + ", \"buffers\": [], \"globals\": [], \"skipped\": \"" + why + "\"}";
}

// Makes a launch one of another instance: a call site with arguments of the same types reaches it.
inline bool switch_kernel(LaunchState &launch, const std::string &mangled, int sequence) {
  if (!launch.site) return false;
  for (const LaunchSite *site = launch_sites(); site; site = site->next) {
    if (!site->bind || std::strcmp(site->arguments, launch.site->arguments) != 0) continue;
    LaunchState other = launch;
    other.site = site;
    other.loop = site->loop;
    other.once = site->once;
    other.closure = site->bind(launch.slots);
    if (launch_facts(other, sequence).mangled != mangled) continue;
    launch = other;
    return true;
  }
  return false;
}

// In the child: the line of this variant.
inline std::string variant_line(Recorder &r, const Variant &v, LaunchState &launch, int sequence) {
  LaunchFacts facts = launch_facts(launch, sequence);
  std::string name = ", \"variant\": " + json_string(v.name);
  if (v.instead) {
    if (!switch_kernel(launch, v.mangled, sequence))
      return skipped_line(facts.head + name, "not-possible");
    facts = launch_facts(launch, sequence);
    borrowed_launch = true;
  }
  if (facts.mangled != v.mangled) return skipped_line(facts.head + name, "another-run");
  if (!facts.arguments.replayable) return skipped_line(facts.head + name, "unreplayable");
  poison_outputs(facts.probe);
  std::vector<CapturedBuffer> buffers = reachable(own_memory(), facts.arguments);
  std::string fault = content_fault(v, buffers);
  if (fault.empty() && (!set_buffers(v, buffers) ||
                        !set_scalars(v, launch, facts.probe.arguments.size())))
    fault = "not-possible";
  if (!fault.empty()) return skipped_line(facts.head + name, fault);
  if (v.grid.size() == 3) launch.config.grid = dim3(v.grid[0], v.grid[1], v.grid[2]);
  launch.order = v.order == "reverse" ? Order::reverse
                 : v.order == "scattered" ? Order::scattered : Order::forward;
  set_guards(v.guard);
  SumLedger ledger;
  if (v.sums) sum_ledger = &ledger;
  facts = launch_facts(launch, sequence);  // as the kernel now sees its arguments
  CapturedLaunch *c = record_before(r, own_memory(), facts);
  if (!c) return skipped_line(facts.head + name, "cap-bytes");
  std::optional<OtherFresh> other;
  if (v.fresh) other.emplace(c->buffers);
  run_blocks(launch);
  if (other) other->restore();
  if (launch.error) return skipped_line(facts.head + name, "failed");
  if (damaged_guards(v.guard)) return skipped_line(facts.head + name, "out-of-bounds");
  if (v.sums) write_sums(r, v, c->buffers);
  std::string lists;
  if (!record_after(r, own_memory(), *c, &lists)) return skipped_line(facts.head + name, "cap-bytes");
  return facts.head + name + lists + ", \"skipped\": null}";
}

inline void run_variants(Recorder &r, LaunchState &launch, int sequence) {
  int last = -1;
  for (const Variant &v : variants()) {
    last = std::max(last, v.sequence);
    if (v.sequence != sequence) continue;
    std::string path = r.directory + "/" + v.name + ".json";
    std::fflush(nullptr);
    pid_t child = fork();
    if (child == 0) {
      alarm(variant_seconds());
      write_result(path, variant_line(r, v, launch, sequence));
      _exit(0);
    }
    int status = -1;
    if (child > 0) waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      bool late = child > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
      std::remove(path.c_str());
      write_result(r.directory + "/" + v.name + ".lost", late ? "timed-out" : "crashed");
    }
  }
  if (sequence >= last) {
    std::fflush(nullptr);
    std::_Exit(0);
  }
}

}  // namespace cuda_emu
