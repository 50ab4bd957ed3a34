// Copies and fills. Every call runs at once; ranges and directions are checked.
#pragma once

#include <type_traits>

#include "graph_nodes.h"
#include "memory.h"

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0, cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3, cudaMemcpyDefault = 4
};

struct cudaArray;
typedef struct cudaArray *cudaArray_t;

struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};

namespace cuda_emu {

inline bool valid_copy(const void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                       const char *call) {
  bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return valid_range(to, bytes, to_device, call) && valid_range(from, bytes, from_device, call);
}

inline cudaError_t copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                        const char *call) {
  if (static_cast<unsigned>(kind) > 4) return fail(cudaErrorInvalidMemcpyDirection);
  if (!bytes) return cudaSuccess;
  if (!to || !from || !valid_copy(to, from, bytes, kind, call)) return fail(cudaErrorInvalidValue);
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

inline cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, cudaMemcpyKind kind, const char *call) {
  if (!width || !height) return cudaSuccess;
  if (width > to_pitch || width > from_pitch) return fail(cudaErrorInvalidPitchValue);
  for (size_t row = 0; row < height; ++row) {
    cudaError_t error = copy(static_cast<char *>(to) + row * to_pitch,
                             static_cast<const char *>(from) + row * from_pitch, width, kind, call);
    if (error) return error;
  }
  return cudaSuccess;
}

inline cudaError_t fill(void *to, int value, size_t bytes, const char *call) {
  if (!bytes) return cudaSuccess;
  if (!to || !valid_range(to, bytes, true, call)) return fail(cudaErrorInvalidValue);
  std::memset(to, value, bytes);
  return cudaSuccess;
}

inline cudaError_t fill_rows(void *to, size_t pitch, int value, size_t width, size_t height,
                             const char *call) {
  for (size_t row = 0; row < height; ++row)
    if (cudaError_t error = fill(static_cast<char *>(to) + row * pitch, value, width, call))
      return error;
  return cudaSuccess;
}

// Defined with arrays (arrays.h).
inline cudaPitchedPtr array_view(cudaArray_t array);
inline size_t array_element(cudaArray_t array);

// Positions count elements of each side (bytes for plain memory); the extent counts elements of an
// array if one takes part.
inline cudaError_t copy_box(const cudaMemcpy3DParms *p) {
  if (!p) return fail(cudaErrorInvalidValue);
  cudaArray_t array = p->srcArray ? p->srcArray : p->dstArray;
  size_t width = p->extent.width * (array ? array_element(array) : 1);
  cudaPitchedPtr to = p->dstArray ? array_view(p->dstArray) : p->dstPtr;
  cudaPitchedPtr from = p->srcArray ? array_view(p->srcArray) : p->srcPtr;
  size_t to_x = p->dstPos.x * (p->dstArray ? array_element(p->dstArray) : 1);
  size_t from_x = p->srcPos.x * (p->srcArray ? array_element(p->srcArray) : 1);
  for (size_t z = 0; z < p->extent.depth; ++z) {
    char *row_to = static_cast<char *>(to.ptr) + to_x +
                   ((p->dstPos.z + z) * to.ysize + p->dstPos.y) * to.pitch;
    const char *row_from = static_cast<char *>(from.ptr) + from_x +
                           ((p->srcPos.z + z) * from.ysize + p->srcPos.y) * from.pitch;
    if (cudaError_t error = copy_rows(row_to, to.pitch, row_from, from.pitch, width,
                                      p->extent.height, p->kind, "cudaMemcpy3D"))
      return error;
  }
  return cudaSuccess;
}

}  // namespace cuda_emu

inline cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind kind) {
  return cuda_emu::copy(to, from, n, kind, "cudaMemcpy");
}
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind kind,
                                   cudaStream_t stream = nullptr) {
  return cuda_emu::submit(stream, cudaGraphNodeTypeMemcpy,
                          [=] { return cuda_emu::copy(to, from, n, kind, "cudaMemcpyAsync"); });
}
inline cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t n) {
  return cuda_emu::copy(to, from, n, cudaMemcpyDeviceToDevice, "cudaMemcpyPeer");
}
inline cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t n,
                                       cudaStream_t = nullptr) {
  return cuda_emu::copy(to, from, n, cudaMemcpyDeviceToDevice, "cudaMemcpyPeerAsync");
}
inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return cuda_emu::copy_rows(to, to_pitch, from, from_pitch, width, height, kind, "cudaMemcpy2D");
}
inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                     size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream = nullptr) {
  return cuda_emu::submit(stream, cudaGraphNodeTypeMemcpy, [=] {
    return cuda_emu::copy_rows(to, to_pitch, from, from_pitch, width, height, kind,
                               "cudaMemcpy2DAsync");
  });
}
inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) { return cuda_emu::copy_box(p); }
inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream = nullptr) {
  cudaMemcpy3DParms copied = *p;
  return cuda_emu::submit(stream, cudaGraphNodeTypeMemcpy,
                          [copied] { return cuda_emu::copy_box(&copied); });
}
inline cudaError_t cudaMemset(void *to, int value, size_t n) {
  return cuda_emu::fill(to, value, n, "cudaMemset");
}
inline cudaError_t cudaMemsetAsync(void *to, int value, size_t n, cudaStream_t stream = nullptr) {
  return cuda_emu::submit(stream, cudaGraphNodeTypeMemset,
                          [=] { return cuda_emu::fill(to, value, n, "cudaMemsetAsync"); });
}
inline cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  return cuda_emu::fill_rows(to, pitch, value, width, height, "cudaMemset2D");
}
inline cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream = nullptr) {
  return cuda_emu::submit(stream, cudaGraphNodeTypeMemset, [=] {
    return cuda_emu::fill_rows(to, pitch, value, width, height, "cudaMemset2DAsync");
  });
}
inline cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent e) {
  return cuda_emu::fill_rows(p.ptr, p.pitch, value, e.width, e.height * e.depth, "cudaMemset3D");
}
