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
// A kernel that launches another goes on; the child waits for the end of the launching block, or for the
// block to ask for it (cudaDeviceSynchronize). So it sees what the block's other threads wrote before that.
CUDA_EMU_API cudaError_t launch_later(const Config &config, std::function<cudaError_t()> child);

// All sites of the program, whether they are ever reached or not.
inline const LaunchSite *&launch_sites() {
  static const LaunchSite *first = nullptr;
  return first;
}

// One thread's call, with the arguments where the host holds them.
template <class Call, class... Args>
struct SlotCall {
  Call *call;
  const ArgumentSlot *slots;

  void operator()() { with(std::index_sequence_for<Args...>{}); }
  template <std::size_t... I>
  void with(std::index_sequence<I...>) {
    (*call)(*static_cast<Args *>(slots[I].address)...);
  }
  static void once(void *closure) { (*static_cast<SlotCall *>(closure))(); }
  static void *bind(const ArgumentSlot *slots) {
    static char nothing;  // a call without captures is told apart by its type alone
    return new SlotCall{reinterpret_cast<Call *>(&nothing), slots};
  }
};

template <class Call, class... Args>
struct SiteOf {
  static const LaunchSite *add() {
    typedef SlotCall<Call, Args...> Body;
    return launch_sites() = new LaunchSite{typeid(void (*)(Args...)).name(), &thread_loop<Body>,
                                           &Body::once, std::is_empty<Call>::value ? &Body::bind : nullptr,
                                           launch_sites()};
  }
  static const LaunchSite *const site;  // added before main for every site that is compiled
};
template <class Call, class... Args>
const LaunchSite *const SiteOf<Call, Args...>::site = SiteOf<Call, Args...>::add();

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
    if (in_kernel() && !running_children) {
      Launcher again{call, config};
      return launch_later(config, [again, args...]() mutable { return again(args...); });
    }
    typedef SlotCall<Call, Args...> Body;
    const ArgumentSlot slots[] = {{std::addressof(args), sizeof(args)}..., {}};
    Body body{&call, slots};
    LaunchState launch;
    launch.config = config;
    launch.site = SiteOf<Call, Args...>::site;
    launch.loop = &thread_loop<Body>;
    launch.once = &Body::once;
    launch.closure = &body;
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
