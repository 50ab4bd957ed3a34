// Streams and events. Work runs when it is submitted, which every stream order allows.
#pragma once

#include <chrono>
#include <mutex>
#include <set>

#include "errors.h"
#include "graph_nodes.h"

struct CUevent_st {
  std::chrono::steady_clock::time_point at;
  bool recorded;
  CUgraph_st *capture = nullptr;    // recorded in a capture, after `node`
  CUgraphNode_st *node = nullptr;
};
typedef struct CUevent_st *cudaEvent_t;
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);
typedef void (*cudaHostFn_t)(void *data);

enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2,
       cudaEventInterprocess = 4 };
enum { cudaEventRecordDefault = 0, cudaEventWaitDefault = 0 };
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))

namespace cuda_emu {
// Ends the capture on every stream that joined it.
CUDA_EMU_API void end_capture(const CUgraph_st *graph);
CUDA_EMU_API void list_stream(cudaStream_t stream, bool alive);
CUDA_EMU_API int next_stream_id();
#ifdef CUDA_EMU_DEFINE_BODIES
struct StreamTable {
  std::mutex mutex;
  std::set<cudaStream_t> live;
};
inline StreamTable &stream_table() {
  static auto *table = new StreamTable;
  return *table;
}
CUDA_EMU_API void list_stream(cudaStream_t stream, bool alive) {
  std::lock_guard<std::mutex> lock(stream_table().mutex);
  if (alive) stream_table().live.insert(stream);
  else stream_table().live.erase(stream);
}
CUDA_EMU_API void end_capture(const CUgraph_st *graph) {
  std::lock_guard<std::mutex> lock(stream_table().mutex);
  for (cudaStream_t stream : stream_table().live)
    if (stream->capture == graph) {
      stream->capture = nullptr;
      stream->last = nullptr;
      stream->origin = false;
    }
}
CUDA_EMU_API int next_stream_id() {
  static int last = 0;
  return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}
#endif
}  // namespace cuda_emu

inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority) {
  *s = new CUstream_st{flags, priority, cuda_emu::next_stream_id()};
  cuda_emu::list_stream(*s, true);
  cuda_emu::check::stream_made((*s)->id, !(flags & cudaStreamNonBlocking));
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags) {
  return cudaStreamCreateWithPriority(s, flags, 0);
}
inline cudaError_t cudaStreamCreate(cudaStream_t *s) {
  return cudaStreamCreateWithPriority(s, cudaStreamDefault, 0);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t s) {
  if (reinterpret_cast<std::uintptr_t>(s) <= 2)
    return cuda_emu::fail(cudaErrorInvalidResourceHandle);
  cuda_emu::list_stream(s, false);
  delete s;
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  cuda_emu::check::stream_waited(cuda_emu::stream_id(s));
  return cudaPeekAtLastError();
}
inline cudaError_t cudaStreamQuery(cudaStream_t s) {
  cuda_emu::check::stream_waited(cuda_emu::stream_id(s));
  return cudaSuccess;
}
// Waiting for an event of a capture draws the stream into the capture.
inline cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned = 0) {
  if (!e) return cuda_emu::fail(cudaErrorInvalidResourceHandle);
  cuda_emu::check::stream_waits(cuda_emu::stream_id(s), e);
  if (!e->capture || reinterpret_cast<std::uintptr_t>(s) <= 2) return cudaSuccess;
  if (s->capture && s->capture != e->capture)
    return cuda_emu::fail(cudaErrorStreamCaptureUnsupported);
  s->capture = e->capture;
  std::vector<cudaGraphNode_t> after;
  for (cudaGraphNode_t node : {s->last, e->node})
    if (node) after.push_back(node);
  s->last = cuda_emu::add_node(*s->capture, cudaGraphNodeTypeEmpty, nullptr, after.data(),
                               after.size());
  return cudaSuccess;
}
inline cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned *flags) {
  *flags = reinterpret_cast<std::uintptr_t>(s) <= 2 ? 0 : s->flags;
  return cudaSuccess;
}
inline cudaError_t cudaStreamGetPriority(cudaStream_t s, int *priority) {
  *priority = reinterpret_cast<std::uintptr_t>(s) <= 2 ? 0 : s->priority;
  return cudaSuccess;
}
inline cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t call, void *data,
                                         unsigned) {
  return cuda_emu::submit(s, cudaGraphNodeTypeHost,
                          [=] { return call(s, cudaSuccess, data), cudaSuccess; });
}
inline cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t call, void *data) {
  return cuda_emu::submit(s, cudaGraphNodeTypeHost, [=] { return call(data), cudaSuccess; });
}
template <class T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, T *, size_t = 0, unsigned = 4) {
  return cudaSuccess;
}

inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned) {
  *e = new CUevent_st{{}, false};
  return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t *e) { return cudaEventCreateWithFlags(e, 0); }
inline cudaError_t cudaEventCreate(cudaEvent_t *e, unsigned flags) {
  return cudaEventCreateWithFlags(e, flags);
}
inline cudaError_t cudaEventDestroy(cudaEvent_t e) {
  if (!e) return cuda_emu::fail(cudaErrorInvalidResourceHandle);
  delete e;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s = nullptr) {
  if (!e) return cuda_emu::fail(cudaErrorInvalidResourceHandle);
  cuda_emu::check::event_recorded(e, cuda_emu::stream_id(s));
  bool captured = cuda_emu::is_capturing(s);
  e->capture = captured ? s->capture : nullptr;
  e->node = captured ? s->last : nullptr;
  e->at = std::chrono::steady_clock::now();
  e->recorded = true;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned) {
  return cudaEventRecord(e, s);
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t e) {
  cuda_emu::check::event_waited(e);
  return cuda_emu::context_state();
}
inline cudaError_t cudaEventQuery(cudaEvent_t e) { return cudaEventSynchronize(e); }
inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
  if (!from || !to || !from->recorded || !to->recorded)
    return cuda_emu::fail(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(to->at - from->at).count();
  return cudaSuccess;
}

// A failed kernel's error stays, as on a device.
inline cudaError_t cudaDeviceSynchronize() {
  cuda_emu::work_follows();
  cuda_emu::check::device_waited();
  return cudaPeekAtLastError();
}
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaThreadExit() { return cudaSuccess; }
CUDA_EMU_API cudaError_t cudaDeviceReset();
inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
inline cudaError_t cudaProfilerStop() { return cudaSuccess; }
