// What a CUDA graph is here: nodes that hold a call, in an order that respects their dependencies.
//
// A stream that captures adds its work to a graph instead of running it. Work that runs when it is
// submitted makes the order of submission a valid order of any capture, over several streams too.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "check_hooks.h"
#include "errors.h"
#include "launch_state.h"

enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel = 0, cudaGraphNodeTypeMemcpy = 1, cudaGraphNodeTypeMemset = 2,
  cudaGraphNodeTypeHost = 3, cudaGraphNodeTypeGraph = 4, cudaGraphNodeTypeEmpty = 5,
  cudaGraphNodeTypeWaitEvent = 6, cudaGraphNodeTypeEventRecord = 7,
  cudaGraphNodeTypeMemAlloc = 10, cudaGraphNodeTypeMemFree = 11
};

namespace cuda_emu {
typedef std::function<cudaError_t()> GraphCall;
}

struct CUgraphNode_st {
  cudaGraphNodeType type;
  std::vector<CUgraphNode_st *> after;  // what has to run before it
  cuda_emu::GraphCall call;
};
typedef struct CUgraphNode_st *cudaGraphNode_t;

struct CUgraph_st {
  std::vector<std::shared_ptr<CUgraphNode_st>> nodes;
};
typedef struct CUgraph_st *cudaGraph_t;

struct CUstream_st {
  unsigned flags;
  int priority;
  int id;
  CUgraph_st *capture = nullptr;          // the graph that takes this stream's work
  CUgraphNode_st *last = nullptr;         // the stream's last node in it
  bool origin = false;                    // the capture began on this stream
};

namespace cuda_emu {

inline bool is_capturing(cudaStream_t stream) {
  return reinterpret_cast<std::uintptr_t>(stream) > 2 && stream->capture;
}

inline cudaGraphNode_t add_node(CUgraph_st &graph, cudaGraphNodeType type, GraphCall call,
                                const cudaGraphNode_t *after, std::size_t count) {
  auto node = std::make_shared<CUgraphNode_st>();
  node->type = type;
  node->call = std::move(call);
  node->after.assign(after, after + count);
  graph.nodes.push_back(node);
  return node.get();
}

inline cudaError_t capture_call(cudaStream_t stream, cudaGraphNodeType type, GraphCall call) {
  std::size_t before = stream->last ? 1 : 0;
  stream->last = add_node(*stream->capture, type, std::move(call), &stream->last, before);
  return cudaSuccess;
}

// Numbers of streams: 0 for the default ones.
inline int stream_id(cudaStream_t stream) {
  return reinterpret_cast<std::uintptr_t>(stream) <= 2 ? 0 : stream->id;
}

// Work that a kernel's thread submits comes after the kernels that its block has launched.
CUDA_EMU_API void work_follows();

// Whether kernels do nothing (CUDAMIGRATE_SKIP_KERNELS), and with them the libraries' work.
CUDA_EMU_API bool skip_kernels();

// Runs the work, or adds it to the graph that the stream captures.
template <class Call>
cudaError_t submit(cudaStream_t stream, cudaGraphNodeType type, Call call) {
  if (type == cudaGraphNodeTypeKernel && skip_kernels()) return cudaSuccess;
  if (is_capturing(stream)) return capture_call(stream, type, call);
  work_follows();
  check::StreamScope scope(stream_id(stream));
  return call();
}

}  // namespace cuda_emu
