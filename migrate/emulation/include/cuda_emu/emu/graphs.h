// CUDA graphs: capture of streams, nodes by hand, instantiation and launch.
#pragma once

#include <map>

#include "graph_nodes.h"
#include "kernel_registry.h"
#include "memcpy.h"
#include "streams.h"

// An instance keeps the nodes alive and runs them in a fixed order; updates replace calls.
struct CUgraphExec_st {
  std::vector<std::shared_ptr<CUgraphNode_st>> order;
  std::map<const CUgraphNode_st *, cuda_emu::GraphCall> replaced;
};
typedef struct CUgraphExec_st *cudaGraphExec_t;

enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0, cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0, cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2
};
enum cudaGraphExecUpdateResult {
  cudaGraphExecUpdateSuccess = 0, cudaGraphExecUpdateError = 1,
  cudaGraphExecUpdateErrorTopologyChanged = 2, cudaGraphExecUpdateErrorNodeTypeChanged = 3
};
struct cudaGraphExecUpdateResultInfo {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode, errorFromNode;
};
enum { cudaGraphInstantiateFlagAutoFreeOnLaunch = 1, cudaGraphInstantiateFlagUpload = 2,
       cudaGraphInstantiateFlagDeviceLaunch = 4, cudaGraphInstantiateFlagUseNodePriority = 8 };

struct cudaKernelNodeParams {
  void *func;
  dim3 gridDim, blockDim;
  unsigned int sharedMemBytes;
  void **kernelParams;
  void **extra;
};
struct cudaHostNodeParams { cudaHostFn_t fn; void *userData; };
struct cudaMemsetParams {
  void *dst;
  size_t pitch;
  unsigned int value, elementSize;
  size_t width, height;
};

namespace cuda_emu {

// Kahn's order, earlier nodes first. False when a dependency leads in a circle or out of the graph.
inline bool graph_order(const CUgraph_st &graph, std::vector<std::shared_ptr<CUgraphNode_st>> &out) {
  std::map<const CUgraphNode_st *, bool> done;
  while (out.size() < graph.nodes.size()) {
    std::size_t before = out.size();
    for (const auto &node : graph.nodes) {
      bool ready = !done[node.get()];
      for (const CUgraphNode_st *other : node->after) ready = ready && done[other];
      if (!ready) continue;
      done[node.get()] = true;
      out.push_back(node);
    }
    if (out.size() == before) return false;
  }
  return true;
}

inline cudaError_t run_graph(const CUgraphExec_st &graph) {
  for (const auto &node : graph.order) {
    auto other = graph.replaced.find(node.get());
    const GraphCall &call = other == graph.replaced.end() ? node->call : other->second;
    if (call)
      if (cudaError_t error = call()) return error;
  }
  return cudaSuccess;
}

inline cudaError_t put_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                            std::size_t count, cudaGraphNodeType type, GraphCall call) {
  if (!node || !graph || (count && !after)) return fail(cudaErrorInvalidValue);
  *node = add_node(*graph, type, std::move(call), after, count);
  return cudaSuccess;
}

// The arguments are copied when the node is made, as CUDA does.
inline bool kernel_call(const cudaKernelNodeParams &p, GraphCall *call) {
  const RegisteredKernel *kernel = find_kernel(p.func);
  if (!kernel || p.extra) return false;
  auto values = kernel->copy_arguments(p.kernelParams);
  Config config{p.gridDim, p.blockDim, p.sharedMemBytes, nullptr, false};
  *call = [kernel, values, config] { return kernel->launch_copied(config, values.get()); };
  return true;
}

inline cudaError_t memset_elements(const cudaMemsetParams &p) {
  if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4)
    return fail(cudaErrorInvalidValue);
  for (std::size_t row = 0; row < p.height; ++row) {
    char *to = static_cast<char *>(p.dst) + row * p.pitch;
    if (!valid_range(to, p.width * p.elementSize, true, "memset node"))
      return fail(cudaErrorInvalidValue);
    for (std::size_t i = 0; i < p.width; ++i)
      std::memcpy(to + i * p.elementSize, &p.value, p.elementSize);
  }
  return cudaSuccess;
}

}  // namespace cuda_emu

inline cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode) {
  if (reinterpret_cast<std::uintptr_t>(s) <= 2)
    return cuda_emu::fail(cudaErrorStreamCaptureUnsupported);
  if (s->capture) return cuda_emu::fail(cudaErrorIllegalState);
  s->capture = new CUgraph_st;
  s->origin = true;
  s->last = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *graph) {
  if (!cuda_emu::is_capturing(s) || !s->origin) return cuda_emu::fail(cudaErrorIllegalState);
  *graph = s->capture;
  cuda_emu::end_capture(s->capture);
  return cudaSuccess;
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus *status) {
  *status = cuda_emu::is_capturing(s) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, cudaStreamCaptureStatus *status,
                                            unsigned long long *id = nullptr,
                                            cudaGraph_t *graph = nullptr) {
  if (id) *id = cuda_emu::is_capturing(s) ? reinterpret_cast<std::uintptr_t>(s->capture) : 0;
  if (graph) *graph = cuda_emu::is_capturing(s) ? s->capture : nullptr;
  return cudaStreamIsCapturing(s, status);
}

inline cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned) {
  *graph = new CUgraph_st;
  return cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
inline cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  *clone = new CUgraph_st(*graph);
  return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                        unsigned long long = 0) {
  auto made = std::make_unique<CUgraphExec_st>();
  if (!graph || !cuda_emu::graph_order(*graph, made->order))
    return cuda_emu::fail(cudaErrorInvalidValue);
  *exec = made.release();
  return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                        cudaGraphNode_t *, char *, size_t) {
  return cudaGraphInstantiate(exec, graph);
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                 unsigned long long) {
  return cudaGraphInstantiate(exec, graph);
}
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return delete exec, cudaSuccess; }
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  if (!exec) return cuda_emu::fail(cudaErrorInvalidValue);
  CUgraphExec_st copy = *exec;  // a captured launch keeps what the instance was
  return cuda_emu::submit(stream, cudaGraphNodeTypeGraph,
                          [copy] { return cuda_emu::run_graph(copy); });
}
// Succeeds when both graphs have the same nodes in the same order.
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphExecUpdateResultInfo *info) {
  std::vector<std::shared_ptr<CUgraphNode_st>> order;
  bool same = cuda_emu::graph_order(*graph, order) && order.size() == exec->order.size();
  for (std::size_t i = 0; same && i < order.size(); ++i)
    same = order[i]->type == exec->order[i]->type;
  if (info)
    *info = {same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged, nullptr,
             nullptr};
  if (!same) return cuda_emu::fail(cudaErrorGraphExecUpdateFailure);
  for (std::size_t i = 0; i < order.size(); ++i)
    exec->replaced[exec->order[i].get()] = order[i]->call;
  return cudaSuccess;
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphNode_t *, cudaGraphExecUpdateResult *result) {
  cudaGraphExecUpdateResultInfo info;
  cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
  return *result = info.result, error;
}

inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                          const cudaGraphNode_t *after, size_t count,
                                          const cudaKernelNodeParams *p) {
  cuda_emu::GraphCall call;
  if (!p || !cuda_emu::kernel_call(*p, &call)) return cuda_emu::fail(cudaErrorInvalidDeviceFunction);
  return cuda_emu::put_node(node, graph, after, count, cudaGraphNodeTypeKernel, call);
}
inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaKernelNodeParams *p) {
  cuda_emu::GraphCall call;
  if (!p || !cuda_emu::kernel_call(*p, &call)) return cuda_emu::fail(cudaErrorInvalidDeviceFunction);
  exec->replaced[node] = call;
  return cudaSuccess;
}
inline cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                const cudaKernelNodeParams *p) {
  bool good = p && cuda_emu::kernel_call(*p, &node->call);
  return good ? cudaSuccess : cuda_emu::fail(cudaErrorInvalidDeviceFunction);
}
inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                          const cudaGraphNode_t *after, size_t count,
                                          const cudaMemcpy3DParms *p) {
  cudaMemcpy3DParms copied = *p;
  return cuda_emu::put_node(node, graph, after, count, cudaGraphNodeTypeMemcpy,
                            [copied] { return cuda_emu::copy_box(&copied); });
}
inline cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                            const cudaGraphNode_t *after, size_t count, void *to,
                                            const void *from, size_t bytes, cudaMemcpyKind kind) {
  return cuda_emu::put_node(node, graph, after, count, cudaGraphNodeTypeMemcpy, [=] {
    return cuda_emu::copy(to, from, bytes, kind, "memcpy node");
  });
}
inline cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                          const cudaGraphNode_t *after, size_t count,
                                          const cudaMemsetParams *p) {
  cudaMemsetParams copied = *p;
  return cuda_emu::put_node(node, graph, after, count, cudaGraphNodeTypeMemset,
                            [copied] { return cuda_emu::memset_elements(copied); });
}
inline cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *after, size_t count,
                                        const cudaHostNodeParams *p) {
  cudaHostNodeParams copied = *p;
  return cuda_emu::put_node(node, graph, after, count, cudaGraphNodeTypeHost, [copied] {
    return copied.fn(copied.userData), cudaSuccess;
  });
}
inline cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                         const cudaGraphNode_t *after, size_t count) {
  return cuda_emu::put_node(node, graph, after, count, cudaGraphNodeTypeEmpty, nullptr);
}
inline cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                              const cudaGraphNode_t *after, size_t count,
                                              cudaGraph_t child) {
  CUgraphExec_st inner;
  if (!child || !cuda_emu::graph_order(*child, inner.order))
    return cuda_emu::fail(cudaErrorInvalidValue);
  return cuda_emu::put_node(node, graph, after, count, cudaGraphNodeTypeGraph,
                            [inner] { return cuda_emu::run_graph(inner); });
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
  return cudaSuccess;
}
inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  for (size_t i = 0; nodes && i < *count && i < graph->nodes.size(); ++i)
    nodes[i] = graph->nodes[i].get();
  *count = graph->nodes.size();
  return cudaSuccess;
}
inline cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  size_t found = 0;
  for (const auto &node : graph->nodes)
    if (node->after.empty()) {
      if (nodes && found < *count) nodes[found] = node.get();
      ++found;
    }
  *count = found;
  return cudaSuccess;
}
inline cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type) {
  return *type = node->type, cudaSuccess;
}
