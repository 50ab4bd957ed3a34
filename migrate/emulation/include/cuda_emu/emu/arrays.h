// CUDA arrays: elements in rows, one after the other, with a description of their channels.
#pragma once

#include <vector>

#include "memcpy.h"

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned = 0, cudaChannelFormatKindUnsigned = 1, cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3
};
struct cudaChannelFormatDesc {
  int x, y, z, w;  // bits of each channel
  cudaChannelFormatKind f;
};
enum { cudaArrayDefault = 0, cudaArrayLayered = 1, cudaArraySurfaceLoadStore = 2,
       cudaArrayCubemap = 4, cudaArrayTextureGather = 8 };

struct cudaArray {
  cudaChannelFormatDesc desc;
  cudaExtent extent;  // in elements; a height or depth of 0 is a dimension less
  unsigned flags;
  char *data;
  size_t element() const { return static_cast<size_t>(desc.x + desc.y + desc.z + desc.w) / 8; }
  size_t rows() const { return extent.height ? extent.height : 1; }
  size_t slices() const { return extent.depth ? extent.depth : 1; }
  size_t pitch() const { return extent.width * element(); }
  char *at(size_t x, size_t y, size_t z = 0) const {
    return data + x * element() + (z * rows() + y) * pitch();
  }
};
typedef const struct cudaArray *cudaArray_const_t;
struct cudaMipmappedArray { std::vector<cudaArray> levels; };
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray *cudaMipmappedArray_const_t;

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   cudaChannelFormatKind f) {
  return cudaChannelFormatDesc{x, y, z, w, f};
}

namespace cuda_emu {

// What an element type is made of: its channels' type and number.
template <class T> struct Channels {
  typedef T type;
  static constexpr int count = 1;
};
#define CUDA_EMU_CHANNELS(stem, T)                                                              \
  template <> struct Channels<stem##1> { typedef T type; static constexpr int count = 1; };     \
  template <> struct Channels<stem##2> { typedef T type; static constexpr int count = 2; };     \
  template <> struct Channels<stem##3> { typedef T type; static constexpr int count = 3; };     \
  template <> struct Channels<stem##4> { typedef T type; static constexpr int count = 4; };
CUDA_EMU_CHANNELS(char, signed char)
CUDA_EMU_CHANNELS(uchar, unsigned char)
CUDA_EMU_CHANNELS(short, short)
CUDA_EMU_CHANNELS(ushort, unsigned short)
CUDA_EMU_CHANNELS(int, int)
CUDA_EMU_CHANNELS(uint, unsigned int)
CUDA_EMU_CHANNELS(long, long)
CUDA_EMU_CHANNELS(ulong, unsigned long)
CUDA_EMU_CHANNELS(longlong, long long)
CUDA_EMU_CHANNELS(ulonglong, unsigned long long)
CUDA_EMU_CHANNELS(float, float)
CUDA_EMU_CHANNELS(double, double)
#undef CUDA_EMU_CHANNELS
template <> struct Channels<__half2> { typedef __half type; static constexpr int count = 2; };

inline size_t element_bytes(const cudaChannelFormatDesc &d) {
  return static_cast<size_t>(d.x + d.y + d.z + d.w) / 8;
}

inline cudaError_t make_array(cudaArray *array, const cudaChannelFormatDesc &desc,
                              cudaExtent extent, unsigned flags) {
  *array = cudaArray{desc, extent, flags, nullptr};
  if (!extent.width || !array->element()) return fail(cudaErrorInvalidValue);
  size_t bytes = array->pitch() * array->rows() * array->slices();
  array->data = static_cast<char *>(allocate(bytes, MemoryKind::device));
  return array->data ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}

inline cudaError_t copy_array(cudaArray_const_t array, size_t x_bytes, size_t y, char *other,
                              size_t pitch, size_t width, size_t height, bool to_array,
                              cudaMemcpyKind kind) {
  if (!array || x_bytes + width > array->pitch() || y + height > array->rows())
    return fail(cudaErrorInvalidValue);
  char *inside = array->at(0, y) + x_bytes;
  return to_array ? copy_rows(inside, array->pitch(), other, pitch, width, height, kind, "copy to an array")
                  : copy_rows(other, pitch, inside, array->pitch(), width, height, kind, "copy from an array");
}

// A 3D copy counts in elements as soon as an array takes part.
inline cudaPitchedPtr array_view(cudaArray_t array) {
  return cudaPitchedPtr{array->data, array->pitch(), array->extent.width, array->rows()};
}
inline size_t array_element(cudaArray_t array) { return array->element(); }

}  // namespace cuda_emu

template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  typedef cuda_emu::Channels<T> C;
  typedef typename C::type S;
  constexpr int bits = 8 * sizeof(S), n = C::count;
  constexpr bool real = std::is_floating_point_v<S> || std::is_same_v<S, __half>;
  return cudaChannelFormatDesc{bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,
                               real ? cudaChannelFormatKindFloat
                               : std::is_signed_v<S> ? cudaChannelFormatKindSigned
                                                     : cudaChannelFormatKindUnsigned};
}

inline cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *desc,
                                     cudaExtent extent, unsigned flags = 0) {
  *array = new cudaArray;
  cudaError_t error = cuda_emu::make_array(*array, *desc, extent, flags);
  if (error) delete *array;
  return error;
}
inline cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *desc,
                                   size_t width, size_t height = 0, unsigned flags = 0) {
  return cudaMalloc3DArray(array, desc, cudaExtent{width, height, 0}, flags);
}
inline cudaError_t cudaFreeArray(cudaArray_t array) {
  if (!array) return cudaSuccess;
  cudaError_t error = cuda_emu::release_checked(array->data);
  if (!error) delete array;
  return error;
}
inline cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
                                            const cudaChannelFormatDesc *desc, cudaExtent extent,
                                            unsigned levels, unsigned flags = 0) {
  *array = new cudaMipmappedArray;
  bool layered = flags & cudaArrayLayered;
  for (unsigned i = 0; i < levels; ++i) {
    auto half = [i](size_t n) { return n ? (n >> i ? n >> i : 1) : 0; };
    cudaExtent e{half(extent.width), half(extent.height), layered ? extent.depth : half(extent.depth)};
    (*array)->levels.emplace_back();
    if (cudaError_t error = cuda_emu::make_array(&(*array)->levels.back(), *desc, e, flags))
      return error;
  }
  return cudaSuccess;
}
inline cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array,
                                              unsigned number) {
  if (number >= array->levels.size()) return cuda_emu::fail(cudaErrorInvalidValue);
  *level = const_cast<cudaArray_t>(&array->levels[number]);
  return cudaSuccess;
}
inline cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  if (!array) return cudaSuccess;
  for (cudaArray &level : array->levels) cuda_emu::release_checked(level.data);
  return delete array, cudaSuccess;
}
inline cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *desc, cudaExtent *extent,
                                    unsigned *flags, cudaArray_t array) {
  if (desc) *desc = array->desc;
  if (extent) *extent = array->extent;
  if (flags) *flags = array->flags;
  return cudaSuccess;
}
inline cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *desc, cudaArray_const_t array) {
  return *desc = array->desc, cudaSuccess;
}

inline cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                       size_t pitch, size_t width, size_t height,
                                       cudaMemcpyKind kind) {
  return cuda_emu::copy_array(to, x, y, static_cast<char *>(const_cast<void *>(from)), pitch, width,
                              height, true, kind);
}
inline cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                            size_t pitch, size_t width, size_t height,
                                            cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  return cuda_emu::submit(stream, cudaGraphNodeTypeMemcpy, [=] {
    return cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind);
  });
}
inline cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                         size_t y, size_t width, size_t height,
                                         cudaMemcpyKind kind) {
  return cuda_emu::copy_array(from, x, y, static_cast<char *>(to), pitch, width, height, false, kind);
}
inline cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from,
                                              size_t x, size_t y, size_t width, size_t height,
                                              cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  return cuda_emu::submit(stream, cudaGraphNodeTypeMemcpy, [=] {
    return cudaMemcpy2DFromArray(to, pitch, from, x, y, width, height, kind);
  });
}
// The older calls take the bytes of whole rows.
inline cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t bytes, cudaMemcpyKind kind) {
  char *inside = to->at(0, y) + x;
  if (inside + bytes > to->data + to->pitch() * to->rows()) return cuda_emu::fail(cudaErrorInvalidValue);
  return cuda_emu::copy(inside, from, bytes, kind, "cudaMemcpyToArray");
}
inline cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y,
                                       size_t bytes, cudaMemcpyKind kind) {
  const char *inside = from->at(0, y) + x;
  if (inside + bytes > from->data + from->pitch() * from->rows())
    return cuda_emu::fail(cudaErrorInvalidValue);
  return cuda_emu::copy(to, inside, bytes, kind, "cudaMemcpyFromArray");
}
inline cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                          size_t bytes, cudaMemcpyKind kind,
                                          cudaStream_t stream = nullptr) {
  return cuda_emu::submit(stream, cudaGraphNodeTypeMemcpy,
                          [=] { return cudaMemcpyToArray(to, x, y, from, bytes, kind); });
}
inline cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                            cudaArray_const_t from, size_t x, size_t y,
                                            size_t width, size_t height,
                                            cudaMemcpyKind = cudaMemcpyDeviceToDevice) {
  if (x + width > from->pitch() || y + height > from->rows())
    return cuda_emu::fail(cudaErrorInvalidValue);
  return cuda_emu::copy_array(to, to_x, to_y, from->at(0, y) + x, from->pitch(), width, height, true,
                              cudaMemcpyDeviceToDevice);
}
