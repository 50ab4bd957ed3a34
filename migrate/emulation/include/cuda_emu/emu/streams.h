// Streams and events. Work runs when it is submitted, which every stream order allows.
#pragma once

#include <chrono>

#include "errors.h"
#include "launch_state.h"

struct CUstream_st { unsigned flags; int priority; int id; };
struct CUevent_st {
  std::chrono::steady_clock::time_point at;
  bool recorded;
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
inline int stream_id(cudaStream_t stream) {
  return reinterpret_cast<std::uintptr_t>(stream) <= 2 ? 0 : stream->id;
}
CUDA_EMU_API int next_stream_id();
#ifdef CUDA_EMU_DEFINE_BODIES
CUDA_EMU_API int next_stream_id() {
  static int last = 0;
  return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}
#endif
}  // namespace cuda_emu

inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority) {
  *s = new CUstream_st{flags, priority, cuda_emu::next_stream_id()};
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
  delete s;
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaPeekAtLastError(); }
inline cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) {
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
  call(s, cudaSuccess, data);
  return cudaSuccess;
}
inline cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t call, void *data) {
  call(data);
  return cudaSuccess;
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
inline cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t = nullptr) {
  if (!e) return cuda_emu::fail(cudaErrorInvalidResourceHandle);
  e->at = std::chrono::steady_clock::now();
  e->recorded = true;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned) {
  return cudaEventRecord(e, s);
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
  if (!from || !to || !from->recorded || !to->recorded)
    return cuda_emu::fail(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(to->at - from->at).count();
  return cudaSuccess;
}

// A failed kernel's error stays until it is read, as on a device.
inline cudaError_t cudaDeviceSynchronize() { return cudaPeekAtLastError(); }
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaThreadExit() { return cudaSuccess; }
CUDA_EMU_API cudaError_t cudaDeviceReset();
inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
inline cudaError_t cudaProfilerStop() { return cudaSuccess; }
