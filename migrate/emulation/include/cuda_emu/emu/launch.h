// Kernel calls: what the rewriter makes of `kernel<<<grid, block>>>(arguments)`.
#pragma once

#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "block.h"
#include "graph_nodes.h"
#include "launch_state.h"
#include "probe.h"

namespace cuda_emu {

CUDA_EMU_API cudaError_t execute(LaunchState &launch);

// `call` receives the arguments as lvalues and calls the kernel, so that overloads, templates and
// conversions resolve exactly as they would in the original call.
template <class Call>
struct Launcher {
  Call call;
  Config config;

  template <class... Args>
  cudaError_t operator()(Args... args) {
    if (is_capturing(config.stream)) {
      Config later = config;
      later.stream = nullptr;
      Launcher again{call, later};
      return capture_call(config.stream, cudaGraphNodeTypeKernel,
                          [again, args...]() mutable { return again(args...); });
    }
    auto body = [&] { call(args...); };
    typedef decltype(body) Body;
    LaunchState launch;
    launch.config = config;
    launch.loop = &thread_loop<Body>;
    launch.once = [](void *closure) { (*static_cast<Body *>(closure))(); };
    launch.closure = &body;
    const ArgumentSlot slots[] = {{std::addressof(args), sizeof(args)}..., {}};
    launch.slots = slots;
    launch.slot_count = sizeof...(Args);
    return execute(launch);
  }
};

template <class Call>
Launcher<Call> launcher(Call call, Config config) {
  return Launcher<Call>{call, config};
}

// Calls `kernel` with arguments behind untyped pointers, as cudaLaunchKernel does.
template <class... Params, std::size_t... I>
cudaError_t launch_untyped(void (*kernel)(Params...), Config config, void **args,
                           std::index_sequence<I...>) {
  (void)args;
  auto call = [kernel](auto &...values) { kernel(values...); };
  return launcher(call, config)(
      *static_cast<std::remove_const_t<std::remove_reference_t<Params>> *>(args[I])...);
}

}  // namespace cuda_emu

template <class... Params>
cudaError_t cudaLaunchKernel(void (*kernel)(Params...), dim3 grid, dim3 block, void **args,
                             std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  cuda_emu::Config config{grid, block, shared_bytes, stream, false};
  return cuda_emu::launch_untyped(kernel, config, args, std::index_sequence_for<Params...>{});
}

template <class... Params>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Params...), dim3 grid, dim3 block,
                                        void **args, std::size_t shared_bytes = 0,
                                        cudaStream_t stream = nullptr) {
  cuda_emu::Config config{grid, block, shared_bytes, stream, true};
  return cuda_emu::launch_untyped(kernel, config, args, std::index_sequence_for<Params...>{});
}
