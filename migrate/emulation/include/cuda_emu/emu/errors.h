// Error codes (CUDA's own numbers), their names and texts, and the per-thread last error.
#pragma once

#define CUDA_EMU_ERRORS(X)                                                                         \
  X(cudaSuccess, 0, "no error")                                                                    \
  X(cudaErrorInvalidValue, 1, "invalid argument")                                                  \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                                 \
  X(cudaErrorInitializationError, 3, "initialization error")                                       \
  X(cudaErrorCudartUnloading, 4, "driver shutting down")                                           \
  X(cudaErrorProfilerDisabled, 5, "profiler disabled while using external profiling tool")         \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                            \
  X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                      \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                           \
  X(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                                       \
  X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                   \
  X(cudaErrorInvalidTexture, 18, "invalid texture reference")                                      \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                      \
  X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version") \
  X(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured")               \
  X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                 \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                  \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                         \
  X(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")                            \
  X(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device") \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                \
  X(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state")          \
  X(cudaErrorSymbolNotFound, 500, "named symbol not found")                                        \
  X(cudaErrorNotReady, 600, "device not ready")                                                    \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                      \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                 \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                        \
  X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                      \
  X(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")                        \
  X(cudaErrorAssert, 710, "device-side assert triggered")                                          \
  X(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
  X(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region") \
  X(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")                    \
  X(cudaErrorMisalignedAddress, 716, "misaligned address")                                         \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                     \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")              \
  X(cudaErrorNotPermitted, 800, "operation not permitted")                                         \
  X(cudaErrorNotSupported, 801, "operation not supported")                                         \
  X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")     \
  X(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture") \
  X(cudaErrorStreamCaptureUnmatched, 903, "capture was not initiated in this stream")              \
  X(cudaErrorGraphExecUpdateFailure, 910, "the graph update was not performed")                    \
  X(cudaErrorUnknown, 999, "unknown error")

enum cudaError {
#define CUDA_EMU_ENUM(name, value, text) name = value,
  CUDA_EMU_ERRORS(CUDA_EMU_ENUM)
#undef CUDA_EMU_ENUM
};
typedef enum cudaError cudaError_t;

static inline const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define CUDA_EMU_NAME(name, value, text) \
  case name: return #name;
    CUDA_EMU_ERRORS(CUDA_EMU_NAME)
#undef CUDA_EMU_NAME
  }
  return "unrecognized error code";
}

static inline const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define CUDA_EMU_TEXT(name, value, text) \
  case name: return text;
    CUDA_EMU_ERRORS(CUDA_EMU_TEXT)
#undef CUDA_EMU_TEXT
  }
  return "unrecognized error code";
}

namespace cuda_emu {
inline thread_local cudaError_t last_error = cudaSuccess;

// The error of a kernel that went wrong: it leaves a context in which nothing works any more, and
// every later call returns it again (CUDA runtime API, descriptions of cudaError_t).
inline int context_error = 0;
inline cudaError_t context_state() {
  return static_cast<cudaError_t>(__atomic_load_n(&context_error, __ATOMIC_RELAXED));
}
inline bool spoils_context(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure: return true;
    default: return false;
  }
}

// Remembers an error for cudaGetLastError, as every runtime call does.
inline cudaError_t fail(cudaError_t error) {
  if (spoils_context(error)) __atomic_store_n(&context_error, int{error}, __ATOMIC_RELAXED);
  if (error != cudaSuccess) last_error = error;
  return error;
}
}  // namespace cuda_emu

inline cudaError_t cudaGetLastError() {
  cudaError_t error = cuda_emu::last_error;
  cuda_emu::last_error = cudaSuccess;
  return error ? error : cuda_emu::context_state();
}
inline cudaError_t cudaPeekAtLastError() {
  return cuda_emu::last_error ? cuda_emu::last_error : cuda_emu::context_state();
}
