// Calls compiled TileLang kernels in place of CUDA launches.
//
// build_kernels.py compiles the kernels of a tree to shared libraries, one a kernel and a shape of
// block, below a folder. A program finds that folder by the variable CUDAMIGRATE_TILELANG_DIR, else
// as `tilelang_kernels` beside its executable. With -DCUDAMIGRATE_ON_CPU the libraries are those of
// TileLang's C target; without, those of its CUDA target.
//
// A launch that no library was built for, or that its kernel was not proven for, does not run: the
// reason goes to standard error, and CUDA's last error is set as for a launch that is not valid.
#ifndef CUDAMIGRATE_TILELANG_H
#define CUDAMIGRATE_TILELANG_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>

namespace cudamigrate {

/// Shape and stream of a launch. `lanes` are the threads of a block, `shared` bytes.
struct Launch {
  std::int64_t grid[3];
  std::int64_t block[3];
  std::int64_t lanes;
  std::int64_t shared;
  cudaStream_t stream;
  const void *kernel;

  /// Threads of the whole launch along an axis.
  std::int64_t threads(int axis) const { return grid[axis] * block[axis]; }
};

/// A value out of CUDA's list of arguments.
template <class T>
T read(const void *argument, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char *>(argument) + offset, sizeof value);
  return value;
}

inline float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// A bfloat16, whose bits are the upper ones of a float.
inline float bfloat16_bits(const void *argument, std::size_t offset) {
  return float_of(std::uint32_t{read<std::uint16_t>(argument, offset)} << 16);
}

/// A half: 5 bits of exponent and 10 of fraction (IEEE 754 binary16).
inline float half_bits(const void *argument, std::size_t offset) {
  const std::uint32_t bits = read<std::uint16_t>(argument, offset);
  const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31u, rest = bits & 1023u;
  if (exponent == 31u) return float_of(sign | 0x7F800000u | rest << 13);
  if (exponent) return float_of(sign | (exponent + 112u) << 23 | rest << 13);
  const float small = static_cast<float>(rest) / 16777216.0f;  // 2^-24, the least half
  return sign ? -small : small;
}

/// A buffer: its address, and its elements from there to the end of the allocation.
struct Memory {
  void *address;
  std::int32_t elements;
  bool too_large;
};

inline Memory memory_of(void *address, std::size_t bytes, std::size_t element) {
  const std::size_t count = bytes / element;
  const bool large = count > static_cast<std::size_t>(INT32_MAX);
  return {address, static_cast<std::int32_t>(large ? INT32_MAX : count), large};
}

/// The allocation around an address. The driver is there in every CUDA program; no -lcuda is asked for.
inline bool allocation(std::uintptr_t at, CUdeviceptr *base, std::size_t *bytes) {
#ifdef CUDAMIGRATE_ON_CPU
  return cuMemGetAddressRange(base, bytes, (CUdeviceptr)at) == CUDA_SUCCESS;
#else
  typedef CUresult (*Range)(CUdeviceptr *, std::size_t *, CUdeviceptr);
  static void *const driver = dlopen("libcuda.so.1", RTLD_NOW);
  static const Range range =
      driver ? reinterpret_cast<Range>(dlsym(driver, "cuMemGetAddressRange_v2")) : nullptr;
  return range && range(base, bytes, (CUdeviceptr)at) == CUDA_SUCCESS;
#endif
}

/// A pointer among the arguments. Memory that CUDA did not allocate is taken to be long enough.
inline Memory memory(const void *argument, std::size_t offset, std::size_t element) {
  void *const address = read<void *>(argument, offset);
  if (!address) return {nullptr, 1, false};
  CUdeviceptr base{};
  std::size_t bytes = 0;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (!allocation(at, &base, &bytes)) return {address, INT32_MAX, false};
  return memory_of(address, (std::uintptr_t)base + bytes - at, element);
}

/// A device variable, which its file makes known by name.
typedef cudaError_t (*Locate)(void **place);
inline std::map<std::string, Locate> &variables() {
  static std::map<std::string, Locate> all;
  return all;
}
struct Variable {
  Variable(const char *name, Locate locate) { variables()[name] = locate; }
};
inline Memory variable(const char *name, std::size_t bytes, std::size_t element) {
  void *place = nullptr;
  const auto found = variables().find(name);
  if (found == variables().end() || found->second(&place) != cudaSuccess) {
    std::fprintf(stderr, "cudamigrate: the device variable %s is not there\n", name);
    std::abort();
  }
  return memory_of(place, bytes, element);
}

/// Tells why a launch did not run, and sets CUDA's last error.
inline cudaError_t refuse_launch(const Launch &launch, const char *name, const std::string &why) {
  std::fprintf(stderr,
               "cudamigrate: %s<<<(%lld, %lld, %lld), (%lld, %lld, %lld), %lld>>> did not run: %s\n", name,
               (long long)launch.grid[0], (long long)launch.grid[1], (long long)launch.grid[2],
               (long long)launch.block[0], (long long)launch.block[1], (long long)launch.block[2],
               (long long)launch.shared, why.c_str());
  std::fflush(stderr);
  (void)cudaLaunchKernel(launch.kernel, dim3(0, 1, 1), dim3(1, 1, 1), nullptr, 0, launch.stream);
  return cudaErrorInvalidConfiguration;
}

/// The folder with the libraries.
inline std::string library_folder() {
  if (const char *given = std::getenv("CUDAMIGRATE_TILELANG_DIR")) return given;
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string own(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  return own.substr(0, own.rfind('/') + 1) + "tilelang_kernels";
}

/// Calls a compiled kernel. Nothing but a library of CUDA's target takes the stream.
template <class... Args>
int invoke(void *kernel, cudaStream_t stream, Args... args) {
#ifdef CUDAMIGRATE_ON_CPU
  (void)stream;
  return reinterpret_cast<int (*)(Args...)>(kernel)(args...);
#else
  return reinterpret_cast<int (*)(Args..., cudaStream_t)>(kernel)(args..., stream);
#endif
}

/// The compiled variants of one kernel.
class Library {
 public:
  Library(const char *module, const char *kernel) : module_(module), kernel_(kernel) {}

  /// The variant that was made for these sizes; null, and the launch refused, when there is none.
  void *find(const Launch &launch, std::initializer_list<std::int64_t> sizes) {
    std::string file = kernel_;
    for (std::int64_t size : sizes) file += "-" + std::to_string(size);
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = loaded_.find(file);
    if (known != loaded_.end()) return known->second;
    const std::string path = library_folder() + "/" + module_ + "/" + file + ".so";
    if (access(path.c_str(), R_OK) != 0) {
      std::string shape;
      for (int axis = 0; axis < 3; ++axis) shape += (axis ? "," : "") + std::to_string(launch.block[axis]);
      refuse(launch, "it was not built for this block; python build_kernels.py DIR --shape " + module_ + ":" +
                         kernel_ + ":" + shape + ":" + std::to_string(launch.shared) + " does it");
      return nullptr;
    }
    void *found = open(launch, path);
    if (found) loaded_[file] = found;
    return found;
  }

  cudaError_t refuse(const Launch &launch, const std::string &why) const {
    return refuse_launch(launch, kernel_.c_str(), why);
  }
  cudaError_t too_large(const Launch &launch) const {
    return refuse(launch, "2^31 elements or threads are the limit of its indices");
  }

  /// An array that is passed by value, where the kernel can read it; `places` are the byte offsets of
  /// its elements in the argument.
  Memory by_value(const Launch &launch, const void *argument, std::initializer_list<std::size_t> places,
                  std::size_t element) const {
    std::string content;
    for (std::size_t place : places) content.append(static_cast<const char *>(argument) + place, element);
    void *place = nullptr;
#ifdef CUDAMIGRATE_ON_CPU
    (void)launch;
    place = std::malloc(content.size());  // a captured launch may read it at any time
    std::memcpy(place, content.data(), content.size());
#else
    if (cudaMallocAsync(&place, content.size(), launch.stream) != cudaSuccess) std::abort();
    (void)cudaMemcpyAsync(place, content.data(), content.size(), cudaMemcpyHostToDevice, launch.stream);
#endif
    return memory_of(place, content.size(), element);
  }

  /// Runs a call as often as CUDA would run threads that all do the same.
  template <class Call>
  cudaError_t run(const Launch &launch, std::int64_t times, Call call) const {
#ifdef CUDAMIGRATE_ON_CPU
    if (std::getenv("CUDAMIGRATE_SKIP_TILELANG")) return cudaSuccess;
    const auto work = [call, times] {
      for (std::int64_t at = 0; at < times; ++at)
        if (call(nullptr) != 0) std::abort();
    };
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const bool known = launch.stream && cudaStreamIsCapturing(launch.stream, &status) == cudaSuccess;
    if (known && status == cudaStreamCaptureStatusActive) {
      auto *kept = new std::function<void()>(work);  // as long as the graph, which has no end here
      return cudaLaunchHostFunc(
          launch.stream, [](void *f) { (*static_cast<std::function<void()> *>(f))(); }, kept);
    }
    work();
    return cudaSuccess;
#else
    for (std::int64_t at = 0; at < times; ++at)
      if (call(launch.stream) != 0) return refuse(launch, "TileLang's library reports an error");
    return cudaSuccess;
#endif
  }

 private:
  void *open(const Launch &launch, const std::string &path) const {
    int mode = RTLD_NOW | RTLD_LOCAL;
#ifdef RTLD_DEEPBIND
    mode |= RTLD_DEEPBIND;  // all libraries name their functions alike
#endif
    void *const library = dlopen(path.c_str(), mode);
    void *const call = library ? dlsym(library, "call") : nullptr;
    void *const init = library ? dlsym(library, "init") : nullptr;
    if (!call || !init || reinterpret_cast<int (*)()>(init)() != 0) {
      const char *const why = library ? "it is no library of TileLang" : dlerror();
      refuse(launch, path + ": " + why);
      return nullptr;
    }
    return call;
  }

  std::string module_, kernel_;
  std::mutex mutex_;
  std::map<std::string, void *> loaded_;
};

/// A CUDA kernel and what stands for it.
struct Bridged {
  const void *kernel;
  cudaError_t (*call)(const Launch &launch, void *const *args);
};
inline std::map<const void *, Bridged> &bridged() {
  static std::map<const void *, Bridged> all;
  return all;
}
struct Registration {
  template <std::size_t N>
  explicit Registration(const Bridged (&kernels)[N]) {
    for (const Bridged &kernel : kernels) bridged()[kernel.kernel] = kernel;
  }
};
template <class... Params>
const void *address(void (*kernel)(Params...)) {
  return reinterpret_cast<const void *>(kernel);
}

/// A launch by address, with addresses of the arguments.
inline cudaError_t launch_kernel(const void *kernel, dim3 grid, dim3 block, void **args,
                                 std::size_t shared = 0, cudaStream_t stream = nullptr) {
  const std::int64_t lanes = std::int64_t{block.x} * block.y * block.z;
  const Launch launch{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z},
                      lanes, static_cast<std::int64_t>(shared), stream, kernel};
  if (std::int64_t{grid.x} * grid.y * grid.z == 0 || lanes == 0 || lanes > 1024)
    return refuse_launch(launch, "kernel", "no device takes this shape");
  const auto found = bridged().find(kernel);
  if (found == bridged().end()) return refuse_launch(launch, "kernel", "it has no TileLang form");
  return found->second.call(launch, args);
}
template <class... Params>
cudaError_t launch_kernel(void (*kernel)(Params...), dim3 grid, dim3 block, void **args,
                          std::size_t shared = 0, cudaStream_t stream = nullptr) {
  return launch_kernel(address(kernel), grid, block, args, shared, stream);
}

/// `kernel<<<grid, block, shared, stream>>>` before its arguments.
template <class... Params>
struct Site {
  const void *kernel;
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;

  void operator()(std::remove_cv_t<std::remove_reference_t<Params>>... args) const {
    const void *places[] = {static_cast<const void *>(std::addressof(args))..., nullptr};
    (void)launch_kernel(kernel, grid, block, const_cast<void **>(places), shared, stream);
  }
};
template <class... Params>
Site<Params...> launch(void (*kernel)(Params...), dim3 grid, dim3 block, std::size_t shared = 0,
                       cudaStream_t stream = nullptr) {
  return {address(kernel), grid, block, shared, stream};
}

}  // namespace cudamigrate

#endif  // CUDAMIGRATE_TILELANG_H
