// NCCL for one process: a communicator has one rank, so every collective is a copy and a message to
// oneself waits for its other half.
#pragma once

#include <deque>

#include "cuda_runtime.h"

#define NCCL_MAJOR 2
#define NCCL_MINOR 20
#define NCCL_PATCH 5
#define NCCL_VERSION_CODE 22005
#define NCCL_VERSION(X, Y, Z) (((X) * 10000) + ((Y) * 100) + (Z))
#define NCCL_UNIQUE_ID_BYTES 128

typedef enum {
  ncclSuccess = 0, ncclUnhandledCudaError = 1, ncclSystemError = 2, ncclInternalError = 3,
  ncclInvalidArgument = 4, ncclInvalidUsage = 5, ncclRemoteError = 6, ncclInProgress = 7
} ncclResult_t;
typedef enum {
  ncclInt8 = 0, ncclChar = 0, ncclUint8 = 1, ncclInt32 = 2, ncclInt = 2, ncclUint32 = 3, ncclInt64 = 4,
  ncclUint64 = 5, ncclFloat16 = 6, ncclHalf = 6, ncclFloat32 = 7, ncclFloat = 7, ncclFloat64 = 8,
  ncclDouble = 8, ncclBfloat16 = 9, ncclFloat8e4m3 = 10, ncclFloat8e5m2 = 11
} ncclDataType_t;
typedef enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4 } ncclRedOp_t;
typedef struct { char internal[NCCL_UNIQUE_ID_BYTES]; } ncclUniqueId;

struct ncclComm {
  struct Message { const void *from; void *to; size_t bytes; };
  std::deque<Message> sends, receives;
};
typedef struct ncclComm *ncclComm_t;

namespace cuda_emu {
inline size_t nccl_bytes(ncclDataType_t type) {
  constexpr size_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return bytes[type];
}
// With one rank the sum, product, extreme and mean of a value are the value.
inline ncclResult_t nccl_copy(const void *from, void *to, size_t count, ncclDataType_t type, ncclComm_t comm, cudaStream_t stream) {
  if (!comm || (count && (!from || !to))) return ncclInvalidArgument;
  if (from == to) return ncclSuccess;
  cudaError_t error = cudaMemcpyAsync(to, from, count * nccl_bytes(type), cudaMemcpyDeviceToDevice, stream);
  return error ? ncclUnhandledCudaError : ncclSuccess;
}
inline ncclResult_t nccl_match(ncclComm_t comm, cudaStream_t stream) {
  while (!comm->sends.empty() && !comm->receives.empty()) {
    ncclComm::Message send = comm->sends.front(), receive = comm->receives.front();
    comm->sends.pop_front();
    comm->receives.pop_front();
    if (send.bytes != receive.bytes) return ncclInvalidUsage;
    if (cudaMemcpyAsync(receive.to, send.from, send.bytes, cudaMemcpyDeviceToDevice, stream)) return ncclUnhandledCudaError;
  }
  return ncclSuccess;
}
}  // namespace cuda_emu

inline ncclResult_t ncclGetVersion(int *version) { return *version = NCCL_VERSION_CODE, ncclSuccess; }
inline ncclResult_t ncclGetUniqueId(ncclUniqueId *id) { return std::memset(id, 0, sizeof *id), ncclSuccess; }
inline ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId, int rank) {
  if (ranks != 1 || rank != 0) return ncclInvalidUsage;
  return *comm = new ncclComm, ncclSuccess;
}
inline ncclResult_t ncclCommInitAll(ncclComm_t *comms, int devices, const int *) {
  ncclUniqueId id;
  return ncclCommInitRank(comms, devices, id, 0);
}
inline ncclResult_t ncclCommDestroy(ncclComm_t comm) { return delete comm, ncclSuccess; }
inline ncclResult_t ncclCommAbort(ncclComm_t comm) { return ncclCommDestroy(comm); }
inline ncclResult_t ncclCommFinalize(ncclComm_t) { return ncclSuccess; }
inline ncclResult_t ncclCommCount(ncclComm_t, int *count) { return *count = 1, ncclSuccess; }
inline ncclResult_t ncclCommUserRank(ncclComm_t, int *rank) { return *rank = 0, ncclSuccess; }
inline ncclResult_t ncclCommCuDevice(ncclComm_t, int *device) { return *device = 0, ncclSuccess; }
inline ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t *error) { return *error = ncclSuccess, ncclSuccess; }
inline ncclResult_t ncclGroupStart() { return ncclSuccess; }
inline ncclResult_t ncclGroupEnd() { return ncclSuccess; }
inline ncclResult_t ncclMemAlloc(void **p, size_t bytes) { return cudaMalloc(p, bytes) ? ncclUnhandledCudaError : ncclSuccess; }
inline ncclResult_t ncclMemFree(void *p) { return cudaFree(p) ? ncclUnhandledCudaError : ncclSuccess; }
inline const char *ncclGetErrorString(ncclResult_t result) {
  const char *texts[] = {"no error", "unhandled cuda error", "unhandled system error", "internal error", "invalid argument",
                         "invalid usage", "remote process exited or there was a network error", "NCCL operation in progress"};
  return texts[result];
}
inline const char *ncclGetLastError(ncclComm_t) { return ""; }

inline ncclResult_t ncclAllReduce(const void *from, void *to, size_t n, ncclDataType_t t, ncclRedOp_t, ncclComm_t c, cudaStream_t s) { return cuda_emu::nccl_copy(from, to, n, t, c, s); }
inline ncclResult_t ncclReduce(const void *from, void *to, size_t n, ncclDataType_t t, ncclRedOp_t, int root, ncclComm_t c, cudaStream_t s) {
  return root ? ncclInvalidArgument : cuda_emu::nccl_copy(from, to, n, t, c, s);
}
inline ncclResult_t ncclBroadcast(const void *from, void *to, size_t n, ncclDataType_t t, int root, ncclComm_t c, cudaStream_t s) {
  return root ? ncclInvalidArgument : cuda_emu::nccl_copy(from, to, n, t, c, s);
}
inline ncclResult_t ncclBcast(void *, size_t, ncclDataType_t, int root, ncclComm_t, cudaStream_t) { return root ? ncclInvalidArgument : ncclSuccess; }
inline ncclResult_t ncclAllGather(const void *from, void *to, size_t n, ncclDataType_t t, ncclComm_t c, cudaStream_t s) { return cuda_emu::nccl_copy(from, to, n, t, c, s); }
inline ncclResult_t ncclReduceScatter(const void *from, void *to, size_t n, ncclDataType_t t, ncclRedOp_t, ncclComm_t c, cudaStream_t s) { return cuda_emu::nccl_copy(from, to, n, t, c, s); }
inline ncclResult_t ncclSend(const void *from, size_t n, ncclDataType_t t, int peer, ncclComm_t c, cudaStream_t s) {
  if (peer) return ncclInvalidArgument;
  c->sends.push_back({from, nullptr, n * cuda_emu::nccl_bytes(t)});
  return cuda_emu::nccl_match(c, s);
}
inline ncclResult_t ncclRecv(void *to, size_t n, ncclDataType_t t, int peer, ncclComm_t c, cudaStream_t s) {
  if (peer) return ncclInvalidArgument;
  c->receives.push_back({nullptr, to, n * cuda_emu::nccl_bytes(t)});
  return cuda_emu::nccl_match(c, s);
}
