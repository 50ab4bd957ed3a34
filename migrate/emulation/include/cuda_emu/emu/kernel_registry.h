// Kernels by address, for calls that name them with an untyped pointer.
//
// The rewriter turns `(void *)kernel` into kernel_pointer(kernel), which remembers how to call it.
#pragma once

#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "launch.h"

namespace cuda_emu {

// How to launch one kernel: with pointers to its arguments, or with arguments copied before.
struct RegisteredKernel {
  const void *address;
  cudaError_t (*launch)(const void *kernel, Config config, void **arguments);
  std::shared_ptr<void> (*copy)(void **arguments);
  cudaError_t (*run_copied)(const void *kernel, Config config, void *copied);

  std::shared_ptr<void> copy_arguments(void **arguments) const { return copy(arguments); }
  cudaError_t launch_copied(Config config, void *copied) const {
    return run_copied(address, config, copied);
  }
};

CUDA_EMU_API void register_kernel(const RegisteredKernel &kernel);
CUDA_EMU_API const RegisteredKernel *find_kernel(const void *address);

template <class... Params>
struct KernelAccess {
  typedef void (*Kernel)(Params...);
  typedef std::tuple<std::remove_const_t<std::remove_reference_t<Params>>...> Values;

  static Kernel typed(const void *kernel) { return reinterpret_cast<Kernel>(const_cast<void *>(kernel)); }
  static cudaError_t launch(const void *kernel, Config config, void **arguments) {
    return launch_untyped(typed(kernel), config, arguments, std::index_sequence_for<Params...>{});
  }
  template <std::size_t... I>
  static std::shared_ptr<void> copy_each(void **arguments, std::index_sequence<I...>) {
    (void)arguments;
    return std::make_shared<Values>(
        *static_cast<std::tuple_element_t<I, Values> *>(arguments[I])...);
  }
  static std::shared_ptr<void> copy(void **arguments) {
    return copy_each(arguments, std::index_sequence_for<Params...>{});
  }
  static cudaError_t run_copied(const void *kernel, Config config, void *copied) {
    Kernel function = typed(kernel);
    auto call = [function](auto &...values) { function(values...); };
    return std::apply(launcher(call, config), *static_cast<Values *>(copied));
  }
};

template <class... Params>
void *kernel_pointer(void (*kernel)(Params...)) {
  typedef KernelAccess<Params...> Access;
  void *address = reinterpret_cast<void *>(kernel);
  register_kernel({address, &Access::launch, &Access::copy, &Access::run_copied});
  return address;
}

// A launch by pointer; an unknown one is an error, as on a device.
inline cudaError_t launch_pointer(const void *kernel, Config config, void **arguments) {
  const RegisteredKernel *known = find_kernel(kernel);
  return known ? known->launch(kernel, config, arguments) : fail(cudaErrorInvalidDeviceFunction);
}

}  // namespace cuda_emu

#ifdef CUDA_EMU_DEFINE_BODIES
#include <map>
#include <mutex>
namespace cuda_emu {
struct KernelTable {
  std::mutex mutex;
  std::map<const void *, RegisteredKernel> kernels;
};
inline KernelTable &kernel_table() {
  static auto *table = new KernelTable;
  return *table;
}
CUDA_EMU_API void register_kernel(const RegisteredKernel &kernel) {
  std::lock_guard<std::mutex> lock(kernel_table().mutex);
  kernel_table().kernels.emplace(kernel.address, kernel);
}
CUDA_EMU_API const RegisteredKernel *find_kernel(const void *address) {
  std::lock_guard<std::mutex> lock(kernel_table().mutex);
  auto at = kernel_table().kernels.find(address);
  return at == kernel_table().kernels.end() ? nullptr : &at->second;
}
}  // namespace cuda_emu
#endif

inline cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args,
                                    std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return cuda_emu::launch_pointer(kernel, {grid, block, shared_bytes, stream, false}, args);
}
inline cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block,
                                               void **args, std::size_t shared_bytes = 0,
                                               cudaStream_t stream = nullptr) {
  return cuda_emu::launch_pointer(kernel, {grid, block, shared_bytes, stream, true}, args);
}

// Launches with attributes (cudaLaunchKernelEx). Clusters of more than one block are refused.
enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0, cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributeCooperative = 2, cudaLaunchAttributeSynchronizationPolicy = 3,
  cudaLaunchAttributeClusterDimension = 4, cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6, cudaLaunchAttributeProgrammaticEvent = 7,
  cudaLaunchAttributePriority = 8
};
union cudaLaunchAttributeValue {
  char pad[64];
  int cooperative, programmaticStreamSerializationAllowed, priority;
  struct { unsigned x, y, z; } clusterDim;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned int numAttrs;
};

namespace cuda_emu {
inline cudaError_t config_of(const cudaLaunchConfig_t &from, Config *to) {
  *to = Config{from.gridDim, from.blockDim, from.dynamicSmemBytes, from.stream, false};
  for (unsigned i = 0; i < from.numAttrs; ++i) {
    const cudaLaunchAttribute &a = from.attrs[i];
    if (a.id == cudaLaunchAttributeCooperative) to->cooperative = a.val.cooperative != 0;
    if (a.id == cudaLaunchAttributeClusterDimension &&
        a.val.clusterDim.x * a.val.clusterDim.y * a.val.clusterDim.z > 1)
      return fail(cudaErrorNotSupported);
  }
  return cudaSuccess;
}
}  // namespace cuda_emu

inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *from, const void *kernel,
                                       void **args) {
  cuda_emu::Config config;
  if (cudaError_t error = cuda_emu::config_of(*from, &config)) return error;
  return cuda_emu::launch_pointer(kernel, config, args);
}
template <class... Params, class... Args>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *from, void (*kernel)(Params...),
                               Args &&...args) {
  cuda_emu::Config config;
  if (cudaError_t error = cuda_emu::config_of(*from, &config)) return error;
  auto call = [kernel](auto &...values) { kernel(values...); };
  return cuda_emu::launcher(call, config)(
      static_cast<std::remove_const_t<std::remove_reference_t<Params>>>(args)...);
}
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}
