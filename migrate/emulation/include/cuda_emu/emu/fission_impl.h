// When a kernel runs region by region: after a proof, launch by launch, that nothing else comes out.
//
// A kernel is first run as it is written. From its third launch on, a process forked off runs the
// fissioned form on a copy of all memory while this one runs the kernel; when both leave the same
// bytes in every allocation and device variable, twice, further launches take the fissioned form.
// Each shape of block is proven anew. A captured launch is always the kernel as it is written.
#pragma once

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "capture.h"
#include "content_hash.h"
#include "fission.h"
#include "json_text.h"
#include "launch.h"
#include "memory.h"
#include "symbols.h"

namespace cuda_emu {

inline void run_blocks(LaunchState &launch);  // launch_impl.h
inline uint3 unflatten(std::uint64_t at, const dim3 &grid);
inline std::uint64_t volume(const dim3 &d);
inline void each_share(const Config &config, void (*share)(void *, std::uint64_t, std::uint64_t),
                       void *argument);

typedef std::array<unsigned, 4> BlockShape;  // block, bytes of dynamic shared memory

inline constexpr unsigned launches_before_proof = 2;
inline constexpr unsigned proofs_wanted = 2;
inline constexpr std::size_t most_shapes = 16;
inline constexpr std::size_t most_memory = std::size_t{1} << 30;  // to compare, in bytes

// What is known of one kernel.
struct FissionUse {
  const FissionedKernel *kernel = nullptr;
  std::string name;
  unsigned launches = 0, by_regions = 0, proofs = 0;
  bool differs = false;
  std::map<BlockShape, bool> shapes;  // proven or not
};

struct FissionTable {
  std::mutex mutex;
  std::map<const char *, FissionUse> uses;  // by the kernel's tag (probe.h)
};

CUDA_EMU_API std::vector<const FissionedKernel *> &fissioned_kernels() {
  static auto *kernels = new std::vector<const FissionedKernel *>;
  return *kernels;
}

CUDA_EMU_API void *only_variable(const char *name, std::size_t size) {
  void *found = nullptr;
  for (const DeviceVariable &v : device_variables()) {
    if (std::strcmp(v.name, name) != 0) continue;
    if (v.size != size || (found && found != v.address)) return nullptr;
    found = v.address;
  }
  return found;
}

inline FissionTable &fission_table() {
  static auto *table = new FissionTable;
  return *table;
}

inline const char *fission_state(const FissionUse &use) {
  if (use.differs) return "differs";
  return use.proofs >= proofs_wanted ? "proven" : "unproven";
}

// CUDAMIGRATE_FISSION_REPORT=file: one JSON object for each kernel that has a fissioned form.
inline void write_fission_report() {
  const char *path = std::getenv("CUDAMIGRATE_FISSION_REPORT");
  std::FILE *out = path && *path ? std::fopen(path, "w") : nullptr;
  if (!out) return;
  for (const auto &entry : fission_table().uses) {
    const FissionUse &use = entry.second;
    if (use.kernel)
      std::fprintf(out, "{\"mangled\": %s, \"state\": \"%s\", \"launches\": %u, \"by_regions\": %u}\n",
                   json_string(use.kernel->mangled).c_str(), fission_state(use), use.launches,
                   use.by_regions);
  }
  std::fclose(out);
}

inline bool fission_enabled() {
  static const bool enabled = [] {
    const char *text = std::getenv("CUDAMIGRATE_FISSION");
    if ((text && *text == '0') || fissioned_kernels().empty()) return false;
    std::atexit(write_fission_report);
    return true;
  }();
  return enabled;
}

// The fissioned form of a launch's kernel with the launch's arguments; `use` is null without one.
struct FissionCall {
  FissionUse *use = nullptr;
  Probe facts;
  std::vector<const void *> arguments;
};

inline const FissionedKernel *form_of(const Probe &p) {
  std::string mangled = mangled_name(p);
  const FissionedKernel *found = nullptr;
  for (const FissionedKernel *k : fissioned_kernels()) {
    if (mangled != k->mangled) continue;
    if (found) return nullptr;  // kernels of one name in several files
    found = k;
  }
  if (!found || p.arguments.size() != found->parameters) return nullptr;
  for (unsigned i = 0; i < found->parameters; ++i)
    if (p.arguments[i].bytes.size() != found->sizes[i]) return nullptr;
  return found;
}

inline void find_form(LaunchState &launch, FissionCall &call) {
  Probe *before = probe;
  probe = &call.facts;
  launch.once(launch.closure);
  probe = before;
  if (!call.facts.answered) return;
  FissionTable &table = fission_table();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto entry = table.uses.emplace(call.facts.tag, FissionUse());
  FissionUse &use = entry.first->second;
  if (entry.second) use.kernel = form_of(call.facts);
  if (!use.kernel) return;
  ++use.launches;
  if (use.differs || launch.config.cooperative || !use.kernel->fits(launch.config.block)) return;
  call.use = &use;
  for (const Argument &a : call.facts.arguments) call.arguments.push_back(a.bytes.data());
}

// Blocks from `first` up to `last`.
inline void run_regions(const LaunchState &launch, const FissionCall &call, std::uint64_t first,
                        std::uint64_t last) {
  static thread_local std::vector<char> memory;
  const Config &c = launch.config;
  constexpr std::size_t align = 256;
  if (memory.size() < c.shared_bytes + align) memory.resize(c.shared_bytes + align);
  auto start = (reinterpret_cast<std::uintptr_t>(memory.data()) + align - 1) / align * align;
  Frame frame{c.grid, c.block, {}, static_cast<unsigned>(volume(c.block)),
              reinterpret_cast<char *>(start)};
  for (std::uint64_t at = first; at < last; ++at) {
    frame.index = unflatten(at, c.grid);
    if (c.shared_bytes) fill_fresh(frame.dynamic, c.shared_bytes);
    call.use->kernel->run(frame, call.arguments.data());
  }
}

inline void run_by_regions(const LaunchState &launch, const FissionCall &call) {
  typedef std::pair<const LaunchState *, const FissionCall *> Both;
  Both both(&launch, &call);
  each_share(
      launch.config,
      [](void *argument, std::uint64_t first, std::uint64_t last) {
        const Both &b = *static_cast<Both *>(argument);
        run_regions(*b.first, *b.second, first, last);
      },
      &both);
}

// All that a kernel can have written.
inline std::string memory_state() {
  std::string all;
  for (const auto &entry : memory_table().live)
    all += content_hash(reinterpret_cast<const void *>(entry.second.base), entry.second.size);
  for (const DeviceVariable &v : device_variables()) all += content_hash(v.address, v.size);
  return content_hash(all.data(), all.size());
}

// In the forked process: never returns.
[[noreturn]] inline void answer_proof(const LaunchState &launch, const FissionCall &call, int to) {
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(number, SIG_DFL);
  run_regions(launch, call, 0, volume(launch.config.grid));
  std::string state = memory_state();
  bool sent = write(to, state.data(), state.size()) == static_cast<ssize_t>(state.size());
  _exit(sent ? 0 : 1);
}

// What the process told within the time; empty if it was lost.
inline std::string proof_answer(int from, double seconds) {
  char text[64];
  pollfd ready{from, POLLIN, 0};
  if (poll(&ready, 1, static_cast<int>(seconds * 1000.0)) <= 0) return std::string();
  ssize_t count = read(from, text, sizeof text);
  return count > 0 ? std::string(text, static_cast<std::size_t>(count)) : std::string();
}

// Runs the launch as it is written, and compares. False if nothing could be compared.
inline bool proven(LaunchState &launch, const FissionCall &call) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) answer_proof(launch, call, ends[1]);
  close(ends[1]);
  auto begin = std::chrono::steady_clock::now();
  run_blocks(launch);
  std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  std::string other;
  if (child > 0) {
    other = proof_answer(ends[0], 2.0 + 2.0 * spent.count());
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  close(ends[0]);
  return !launch.error && other == memory_state();
}

inline BlockShape shape_of(const Config &c) {
  return BlockShape{c.block.x, c.block.y, c.block.z, static_cast<unsigned>(c.shared_bytes)};
}

// Runs a launch: `as_written` when it is captured.
inline void run_kernel(LaunchState &launch, bool as_written) {
  FissionCall call;
  if (!check::enabled && fission_enabled()) find_form(launch, call);
  if (!call.use) return run_blocks(launch);
  FissionUse &use = *call.use;
  FissionTable &table = fission_table();
  std::unique_lock<std::mutex> lock(table.mutex);
  auto known = use.shapes.find(shape_of(launch.config));
  bool sure = known != use.shapes.end() && known->second && use.proofs >= proofs_wanted;
  bool wanted = use.launches > launches_before_proof && !sure &&
                (known != use.shapes.end() || use.shapes.size() < most_shapes) &&
                allocated_bytes() < most_memory;
  if (sure && !as_written) ++use.by_regions;
  lock.unlock();
  if (sure && !as_written) return run_by_regions(launch, call);
  if (!wanted) return run_blocks(launch);
  bool same = proven(launch, call);
  lock.lock();
  use.shapes[shape_of(launch.config)] = same;
  use.proofs += same;
  use.differs = use.differs || !same;
}

}  // namespace cuda_emu
