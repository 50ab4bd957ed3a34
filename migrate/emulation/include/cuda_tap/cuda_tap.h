// Launches of a CUDA program recorded on a device, in the format of the CPU runtime's captures.
//
// Written with the CUDA runtime's API alone: nvcc compiles it for a device, and a C++ compiler against
// the CPU runtime, which then stands in for one. The rewriter (emulation/tap_rewrite.py) has
//
//   * put a describer beside each kernel: a host function with its parameters, which tells them;
//   * turned launches into calls of a launcher with the describer and the launch itself;
//   * renamed the calls that allocate and free (tap_memory.h), so that all memory is known;
//   * put a Variable after each device variable.
//
// CUDAMIGRATE_TAP_DIR is where to write; the caps are those of the CPU runtime's recorder.
// CUDAMIGRATE_SKIP_KERNELS=1 launches nothing, the control run.
#pragma once

#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "../cuda_emu/emu/capture_record.h"
#include "tap_memory.h"

namespace cuda_tap {

// --- what a kernel is given ----------------------------------------------------------------------

inline thread_local cuda_emu::Probe *probe = nullptr;

inline void record(const char *names, unsigned position, cuda_emu::ArgKind kind, const char *type,
                   std::size_t size, bool is_const, const void *value, std::size_t value_bytes) {
  cuda_emu::add_argument(*probe, names, position, kind, type, size, is_const, value, value_bytes);
}

inline constexpr const char *describer_prefix = "cuda_tap_of_";

// The name of the kernel in a text that names its describer: the prefix goes, and with it the length
// that stands before a name in a mangled one.
inline std::string kernel_text(std::string text, const std::string &kernel) {
  const std::string name = describer_prefix + kernel;
  const std::string mangled = std::to_string(name.size()) + name;
  for (std::size_t at; (at = text.find(mangled)) != std::string::npos;)
    text.replace(at, mangled.size(), std::to_string(kernel.size()) + kernel);
  for (std::size_t at; (at = text.find(name)) != std::string::npos;)
    text.replace(at, name.size(), kernel);
  // nvcc gives a namespace without a name one of its own in each file.
  const std::string own = "_GLOBAL__N__";
  std::size_t at = text.find(own);
  if (at != std::string::npos) {
    std::size_t digits = at;
    while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
    std::size_t length = std::strtoull(text.substr(digits, at - digits).c_str(), nullptr, 10);
    if (length && at + length <= text.size())
      text.replace(digits, at + length - digits, "12_GLOBAL__N_1");
  }
  return text;
}

// What the describers call.
template <class... Args>
void answer(const char *kernel, const char *tag, const char *pretty, const char *names,
            const Args &...args) {
  cuda_emu::Probe &p = *probe;
  const char *name = kernel + std::strlen(describer_prefix);
  static thread_local std::string own_tag, own_pretty;  // read before the next launch
  own_tag = kernel_text(tag, name);
  own_pretty = kernel_text(pretty, name);
  p.answered = true;
  p.kernel = name;
  p.tag = own_tag.c_str();
  p.pretty = own_pretty.c_str();
  unsigned position = 0;
  (cuda_emu::describe<record>(names, position++, args), ...);
  (void)names;
}

// --- the recorder --------------------------------------------------------------------------------

inline cuda_emu::Recorder *recorder() {
  static cuda_emu::Recorder *instance = [] {
    cuda_emu::Recorder *r = cuda_emu::open_recorder("CUDAMIGRATE_TAP_DIR");
    if (r) std::atexit([] { cuda_emu::close_recorder(*recorder()); });
    return r;
  }();
  return instance;
}

inline bool skip_kernels() {
  static const bool skip = [] {
    const char *text = std::getenv("CUDAMIGRATE_SKIP_KERNELS");
    return text && *text && *text != '0';
  }();
  return skip;
}

struct Config {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};

inline Config config(dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                     cudaStream_t stream = nullptr) {
  return Config{grid, block, shared_bytes, stream};
}

inline bool is_recording_graph(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

// A launch that cannot be described, or that a graph makes later: it only takes its number.
inline void uncaptured() {
  if (cuda_emu::Recorder *r = recorder()) {
    std::lock_guard<std::mutex> lock(r->mutex);
    ++r->sequence;
  }
}

// The record of a launch, begun; null when it is not worth one. All work before it has to be done,
// and an error of an earlier call is left for the program to find.
template <class Describe>
cuda_emu::CapturedLaunch *begin(cuda_emu::Recorder &r, const Config &c, Describe describe) {
  cudaDeviceSynchronize();
  cuda_emu::LaunchFacts facts;
  probe = &facts.probe;
  describe();
  probe = nullptr;
  const DeviceView memory;
  facts.mangled = cuda_emu::mangled_name(facts.probe, "E12cuda_tap_tag");
  cuda_emu::LaunchShape shape{{c.grid.x, c.grid.y, c.grid.z}, {c.block.x, c.block.y, c.block.z},
                              c.shared_bytes, stream_number(c.stream)};
  cuda_emu::complete_facts(memory, shape, r.sequence++, facts);
  return cuda_emu::begin_record(r, memory, facts, [] {});
}

// Launches, and records what the launch changed.
template <class Describe, class Launch>
void tapped(const Config &c, Describe describe, Launch launch) {
  cuda_emu::Recorder *r = recorder();
  if (!r || is_recording_graph(c.stream)) {
    if (r) uncaptured();
    if (!skip_kernels()) launch();
    return;
  }
  std::lock_guard<std::mutex> lock(r->mutex);
  cuda_emu::CapturedLaunch *captured = begin(*r, c, describe);
  if (!skip_kernels()) launch();
  if (!captured) return;
  bool failed = cudaPeekAtLastError() != cudaSuccess;
  failed = cudaDeviceSynchronize() != cudaSuccess || failed;
  cuda_emu::finish_record(*r, DeviceView(), captured, failed);
}

// `describe` and `launch` receive the arguments as lvalues, so that overloads, templates and
// conversions resolve as they would in the original call.
template <class Describe, class Launch>
struct Launcher {
  Describe describe;
  Launch launch;
  Config config;

  template <class... Args>
  void operator()(Args... args) {
    tapped(config, [&] { describe(args...); }, [&] { launch(config, args...); });
  }
};

template <class Describe, class Launch>
Launcher<Describe, Launch> launcher(Describe describe, Launch launch, Config config) {
  return Launcher<Describe, Launch>{describe, launch, config};
}

// A kernel whose arguments lie behind untyped pointers: the describer knows their types.
template <class... Params, std::size_t... I>
void describe_untyped(void (*describer)(Params...), void **args, std::index_sequence<I...>) {
  (void)args;
  describer(*static_cast<std::remove_const_t<std::remove_reference_t<Params>> *>(args[I])...);
}

}  // namespace cuda_tap

#define CUDA_TAP_DESCRIBE(...)                                                                  \
  struct cuda_tap_tag {};                                                                       \
  ::cuda_tap::answer(__func__, typeid(cuda_tap_tag).name(), __PRETTY_FUNCTION__,                \
                     #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__);

template <class... Params, class Kernel>
cudaError_t cudaTapLaunchKernel(void (*describer)(Params...), Kernel kernel, dim3 grid, dim3 block,
                                void **args, std::size_t shared_bytes = 0,
                                cudaStream_t stream = nullptr) {
  cudaError_t result = cudaSuccess;
  cuda_tap::tapped(
      cuda_tap::config(grid, block, shared_bytes, stream),
      [&] { cuda_tap::describe_untyped(describer, args, std::index_sequence_for<Params...>{}); },
      [&] { result = cudaLaunchKernel(kernel, grid, block, args, shared_bytes, stream); });
  return result;
}
