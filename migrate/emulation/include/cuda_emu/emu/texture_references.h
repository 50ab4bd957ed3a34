// Texture references: the interface before texture objects (removed in CUDA 12).
#pragma once

#include "texture_objects.h"

enum { cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3, cudaTextureTypeCubemap = 12,
       cudaTextureType1DLayered = 0xF1, cudaTextureType2DLayered = 0xF2 };

struct textureReference {
  int normalized = 0;
  cudaTextureFilterMode filterMode = cudaFilterModePoint;
  cudaTextureAddressMode addressMode[3] = {cudaAddressModeClamp, cudaAddressModeClamp,
                                           cudaAddressModeClamp};
  cudaChannelFormatDesc channelDesc{};
  cuda_emu::Texture bound;
  cudaTextureReadMode mode = cudaReadModeElementType;
};

template <class T, int Type = cudaTextureType1D, cudaTextureReadMode Mode = cudaReadModeElementType>
struct texture : textureReference {
  texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
          cudaTextureAddressMode address = cudaAddressModeClamp) {
    normalized = norm;
    filterMode = filter;
    for (auto &a : addressMode) a = address;
    channelDesc = cudaCreateChannelDesc<T>();
    mode = Mode;
  }
};

namespace cuda_emu {

template <int Count> struct FloatVector;
template <> struct FloatVector<1> { typedef float type; };
template <> struct FloatVector<2> { typedef float2 type; };
template <> struct FloatVector<3> { typedef float3 type; };
template <> struct FloatVector<4> { typedef float4 type; };
template <class T, cudaTextureReadMode Mode>
using Fetched = std::conditional_t<Mode == cudaReadModeElementType, T,
                                   typename FloatVector<Channels<T>::count>::type>;

// What a program sets on a reference counts when it is bound.
inline cudaError_t bind(const textureReference &reference, const cudaResourceDesc &r) {
  auto &t = const_cast<textureReference &>(reference);
  t.bound.levels.clear();
  t.bound.how = cudaTextureDesc{};
  return resource_levels(r, &t.bound.levels);
}
// The settings may also change after binding: they are read at each fetch.
inline const Texture &bound_texture(const textureReference &t) {
  auto &bound = const_cast<Texture &>(t.bound);
  if (bound.levels.empty()) {
    std::fprintf(stderr, "cuda_emu: fetch through a texture reference that is not bound\n");
    __trap();
  }
  bound.how.normalizedCoords = t.normalized;
  bound.how.filterMode = t.filterMode;
  bound.how.readMode = t.mode;
  for (int i = 0; i < 3; ++i) bound.how.addressMode[i] = t.addressMode[i];
  return bound;
}

}  // namespace cuda_emu

inline cudaError_t cudaBindTexture(size_t *offset, const textureReference &t, const void *p,
                                   const cudaChannelFormatDesc &desc, size_t bytes) {
  if (offset) *offset = 0;
  cuda_emu::Allocation a;
  auto address = reinterpret_cast<std::uintptr_t>(p);
  if (!cuda_emu::find_allocation(address, &a)) return cuda_emu::fail(cudaErrorInvalidValue);
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeLinear;
  r.res.linear = {const_cast<void *>(p), desc, std::min<size_t>(bytes, a.base + a.size - address)};
  return cuda_emu::bind(t, r);
}
template <class T, int Type, cudaTextureReadMode Mode>
cudaError_t cudaBindTexture(size_t *offset, const texture<T, Type, Mode> &t, const void *p,
                            size_t bytes = UINT_MAX) {
  return cudaBindTexture(offset, t, p, t.channelDesc, bytes);
}
inline cudaError_t cudaBindTexture2D(size_t *offset, const textureReference &t, const void *p,
                                     const cudaChannelFormatDesc &desc, size_t width, size_t height,
                                     size_t pitch) {
  if (offset) *offset = 0;
  cudaResourceDesc r{};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D = {const_cast<void *>(p), desc, width, height, pitch};
  return cuda_emu::bind(t, r);
}
template <class T, int Type, cudaTextureReadMode Mode>
cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, Type, Mode> &t, const void *p,
                              size_t width, size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, t, p, t.channelDesc, width, height, pitch);
}
inline cudaError_t cudaBindTextureToArray(const textureReference &t, cudaArray_const_t array) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = const_cast<cudaArray_t>(array);
  return cuda_emu::bind(t, r);
}
inline cudaError_t cudaBindTextureToArray(const textureReference &t, cudaArray_const_t array,
                                          const cudaChannelFormatDesc &) {
  return cudaBindTextureToArray(t, array);
}
inline cudaError_t cudaUnbindTexture(const textureReference &t) {
  const_cast<textureReference &>(t).bound.levels.clear();
  return cudaSuccess;
}

template <class T, int Type, cudaTextureReadMode Mode>
cuda_emu::Fetched<T, Mode> tex1Dfetch(const texture<T, Type, Mode> &t, int x) {
  return cuda_emu::fetch_linear<cuda_emu::Fetched<T, Mode>>(cuda_emu::bound_texture(t), x);
}
template <class T, int Type, cudaTextureReadMode Mode>
cuda_emu::Fetched<T, Mode> tex1D(const texture<T, Type, Mode> &t, float x) {
  return cuda_emu::fetch<cuda_emu::Fetched<T, Mode>>(cuda_emu::bound_texture(t), x, 0, 0, 0, 1);
}
template <class T, int Type, cudaTextureReadMode Mode>
cuda_emu::Fetched<T, Mode> tex2D(const texture<T, Type, Mode> &t, float x, float y) {
  return cuda_emu::fetch<cuda_emu::Fetched<T, Mode>>(cuda_emu::bound_texture(t), x, y, 0, 0, 2);
}
template <class T, int Type, cudaTextureReadMode Mode>
cuda_emu::Fetched<T, Mode> tex2DLayered(const texture<T, Type, Mode> &t, float x, float y, int layer) {
  return cuda_emu::fetch<cuda_emu::Fetched<T, Mode>>(cuda_emu::bound_texture(t), x, y, 0, layer, 2);
}
template <class T, int Type, cudaTextureReadMode Mode>
cuda_emu::Fetched<T, Mode> tex3D(const texture<T, Type, Mode> &t, float x, float y, float z) {
  return cuda_emu::fetch<cuda_emu::Fetched<T, Mode>>(cuda_emu::bound_texture(t), x, y, z, 0, 3);
}
