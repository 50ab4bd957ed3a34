// The recorder behind capture.h.
#pragma once

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "capture_record.h"
#include "memory.h"
#include "poison.h"
#include "streams.h"
#include "symbols.h"

namespace cuda_emu {

// The runtime's own memory: every address is one of this process.
struct OwnMemory final : DeviceMemory {
  bool locate(std::uintptr_t address, Region *found) const override {
    Allocation a;
    if (!find_allocation(address, &a, true) || a.id < 0) return false;
    *found = {a.base, a.size, a.id};
    return true;
  }
  void bounds(std::uintptr_t *low, std::uintptr_t *high) const override { address_bounds(low, high); }
  const unsigned char *contents(const Region &region) const override {
    return reinterpret_cast<const unsigned char *>(region.base);
  }
  std::vector<CapturedVariable> variables() const override {
    std::vector<CapturedVariable> out;
    for (const DeviceVariable &v : device_variables()) out.push_back({v.name, v.space, v.size});
    return out;
  }
  const unsigned char *variable_contents(std::size_t number) const override {
    return static_cast<const unsigned char *>(device_variables()[number].address);
  }
};

inline const OwnMemory &own_memory() {
  static const OwnMemory memory;
  return memory;
}

CUDA_EMU_API void record_argument(const char *names, unsigned position, ArgKind kind,
                                  const char *type, std::size_t size, bool is_const,
                                  const void *value, std::size_t value_bytes) {
  add_argument(*probe, names, position, kind, type, size, is_const, value, value_bytes);
}

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
  LaunchShape shape{{c.grid.x, c.grid.y, c.grid.z}, {c.block.x, c.block.y, c.block.z},
                    c.shared_bytes, static_cast<int>(stream_id(c.stream))};
  complete_facts(own_memory(), shape, sequence, f);
  return f;
}

inline Recorder *recorder() {
  static Recorder *instance = [] {
    Recorder *r = open_recorder("CUDAMIGRATE_CAPTURE_DIR");
    if (r)
      std::atexit([] {
        check_guards("at exit");
        close_recorder(*recorder());
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
    PointerWord w;
    if (a.kind == ArgKind::pointer && locate_word(own_memory(), a.bytes.data(), 0, &w))
      ++users[w.target.id];
  }
  for (const Argument &a : p.arguments) {
    if (a.kind != ArgKind::pointer) continue;
    if (listed.find("," + std::string(p.kernel) + ":" + a.name + ",") == std::string::npos) continue;
    PointerWord w;
    if (!locate_word(own_memory(), a.bytes.data(), 0, &w) || users[w.target.id] != 1) continue;
    poison(reinterpret_cast<void *>(w.target.base + w.offset), w.target.size - w.offset);
  }
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
  return begin_record(r, own_memory(), facts, [&] { poison_outputs(facts.probe); });
}

CUDA_EMU_API void capture_after(CapturedLaunch *c, bool failed) {
  Recorder &r = *recorder();
  std::lock_guard<std::mutex> lock(r.mutex);
  check_guards(("after kernel " + r.kernels[c->kernel].name).c_str());
  finish_record(r, own_memory(), c, failed);
}

}  // namespace cuda_emu

#include "variants_impl.h"
