// Texture and surface objects, and the functions that read and write through them.
#pragma once

#include "texture_sampling.h"

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

enum cudaResourceType {
  cudaResourceTypeArray = 0, cudaResourceTypeMipmappedArray = 1, cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3
};
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct { cudaArray_t array; } array;
    struct { cudaMipmappedArray_t mipmap; } mipmap;
    struct { void *devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
    struct { void *devPtr; cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
  } res;
};
struct cudaResourceViewDesc {
  int format;
  size_t width, height, depth;
  unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2
};

namespace cuda_emu {

struct TextureObject : Texture { cudaResourceDesc resource{}; };

inline cudaError_t resource_levels(const cudaResourceDesc &r, std::vector<TextureLevel> *levels) {
  switch (r.resType) {
    case cudaResourceTypeArray:
      if (!r.res.array.array) return fail(cudaErrorInvalidValue);
      levels->push_back(level_of(*r.res.array.array));
      return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
      for (const cudaArray &a : r.res.mipmap.mipmap->levels) levels->push_back(level_of(a));
      return cudaSuccess;
    case cudaResourceTypeLinear: {
      const auto &l = r.res.linear;
      // CUDA takes a size that leaves the allocation; what lies outside reads as 0, as past the end.
      size_t bytes = l.sizeInBytes;
      Allocation a;
      if (!valid_range(l.devPtr, bytes, true, "a texture")) {
        auto address = reinterpret_cast<std::uintptr_t>(l.devPtr);
        if (!find_allocation(address, &a)) return fail(cudaErrorInvalidValue);
        bytes = a.size - (address - a.base);
      }
      size_t width = bytes / element_bytes(l.desc);
      levels->push_back({static_cast<const char *>(l.devPtr), l.desc, bytes,
                         static_cast<int>(width), 1, 1});
      return cudaSuccess;
    }
    case cudaResourceTypePitch2D: {
      const auto &p = r.res.pitch2D;
      size_t used = p.height ? p.pitchInBytes * (p.height - 1) + p.width * element_bytes(p.desc) : 0;
      if (!valid_range(p.devPtr, used, true, "a texture")) return fail(cudaErrorInvalidValue);
      levels->push_back({static_cast<const char *>(p.devPtr), p.desc, p.pitchInBytes,
                         static_cast<int>(p.width), static_cast<int>(p.height), 1});
      return cudaSuccess;
    }
  }
  return fail(cudaErrorInvalidValue);
}

// Filtering needs floats: an element type of integers cannot be filtered.
inline bool filter_fits(const Texture &t) {
  const cudaChannelFormatDesc &d = t.levels[0].desc;
  return t.how.filterMode == cudaFilterModePoint || d.f == cudaChannelFormatKindFloat ||
         t.how.readMode == cudaReadModeNormalizedFloat;
}
inline const TextureObject &texture_of(cudaTextureObject_t object) {
  return *reinterpret_cast<const TextureObject *>(object);
}

}  // namespace cuda_emu

inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *r,
                                           const cudaTextureDesc *how,
                                           const cudaResourceViewDesc * = nullptr) {
  auto made = std::make_unique<cuda_emu::TextureObject>();
  made->resource = *r;
  made->how = *how;
  if (cudaError_t error = cuda_emu::resource_levels(*r, &made->levels)) return error;
  if (!cuda_emu::filter_fits(*made)) return cuda_emu::fail(cudaErrorInvalidValue);
  *object = reinterpret_cast<cudaTextureObject_t>(made.release());
  return cudaSuccess;
}
inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return delete reinterpret_cast<cuda_emu::TextureObject *>(object), cudaSuccess;
}
inline cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *r, cudaTextureObject_t object) {
  return *r = cuda_emu::texture_of(object).resource, cudaSuccess;
}
inline cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *how, cudaTextureObject_t object) {
  return *how = cuda_emu::texture_of(object).how, cudaSuccess;
}
inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *r) {
  if (r->resType != cudaResourceTypeArray || !r->res.array.array)
    return cuda_emu::fail(cudaErrorInvalidValue);
  *object = reinterpret_cast<cudaSurfaceObject_t>(r->res.array.array);
  return cudaSuccess;
}
inline cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t) { return cudaSuccess; }

// Each function also has a form that stores through a pointer.
#define CUDA_EMU_FETCH(name, parameters, arguments, expression)                                  \
  template <class T> T name parameters { return expression; }                                    \
  template <class T> void name(T *out, CUDA_EMU_UNWRAP parameters) { *out = name<T> arguments; }
#define CUDA_EMU_UNWRAP(...) __VA_ARGS__
CUDA_EMU_FETCH(tex1Dfetch, (cudaTextureObject_t t, int x), (t, x),
               cuda_emu::fetch_linear<T>(cuda_emu::texture_of(t), x))
CUDA_EMU_FETCH(tex1D, (cudaTextureObject_t t, float x), (t, x),
               cuda_emu::fetch<T>(cuda_emu::texture_of(t), x, 0, 0, 0, 1))
CUDA_EMU_FETCH(tex1DLod, (cudaTextureObject_t t, float x, float lod), (t, x, lod),
               cuda_emu::fetch<T>(cuda_emu::texture_of(t), x, 0, 0, 0, 1, lod))
CUDA_EMU_FETCH(tex1DLayered, (cudaTextureObject_t t, float x, int layer), (t, x, layer),
               cuda_emu::fetch<T>(cuda_emu::texture_of(t), x, 0, 0, layer, 1))
CUDA_EMU_FETCH(tex2D, (cudaTextureObject_t t, float x, float y), (t, x, y),
               cuda_emu::fetch<T>(cuda_emu::texture_of(t), x, y, 0, 0, 2))
CUDA_EMU_FETCH(tex2DLod, (cudaTextureObject_t t, float x, float y, float lod), (t, x, y, lod),
               cuda_emu::fetch<T>(cuda_emu::texture_of(t), x, y, 0, 0, 2, lod))
CUDA_EMU_FETCH(tex2DLayered, (cudaTextureObject_t t, float x, float y, int layer), (t, x, y, layer),
               cuda_emu::fetch<T>(cuda_emu::texture_of(t), x, y, 0, layer, 2))
CUDA_EMU_FETCH(tex3D, (cudaTextureObject_t t, float x, float y, float z), (t, x, y, z),
               cuda_emu::fetch<T>(cuda_emu::texture_of(t), x, y, z, 0, 3))
CUDA_EMU_FETCH(tex3DLod, (cudaTextureObject_t t, float x, float y, float z, float lod), (t, x, y, z, lod),
               cuda_emu::fetch<T>(cuda_emu::texture_of(t), x, y, z, 0, 3, lod))

namespace cuda_emu {
// The face that a direction points to, and where it leaves it (programming guide, "Cubemap Textures").
inline int cube_face(float x, float y, float z, float *s, float *t) {
  float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z), m;
  int face;
  if (ax >= ay && ax >= az) face = x >= 0 ? 0 : 1, m = ax, *s = x >= 0 ? -z : z, *t = -y;
  else if (ay >= az) face = y >= 0 ? 2 : 3, m = ay, *s = x, *t = y >= 0 ? z : -z;
  else face = z >= 0 ? 4 : 5, m = az, *s = z >= 0 ? x : -x, *t = -y;
  *s = (*s / m + 1) / 2;
  *t = (*t / m + 1) / 2;
  return face;
}
template <class T>
T fetch_cube(const Texture &texture, float x, float y, float z, int layer) {
  float s, t;
  int face = cube_face(x, y, z, &s, &t);
  if (!texture.how.normalizedCoords) {
    s *= static_cast<float>(texture.levels[0].width);
    t *= static_cast<float>(texture.levels[0].height);
  }
  return fetch<T>(texture, s, t, 0, 6 * layer + face, 2);
}
}  // namespace cuda_emu
CUDA_EMU_FETCH(texCubemap, (cudaTextureObject_t t, float x, float y, float z), (t, x, y, z),
               cuda_emu::fetch_cube<T>(cuda_emu::texture_of(t), x, y, z, 0))
CUDA_EMU_FETCH(texCubemapLayered, (cudaTextureObject_t t, float x, float y, float z, int layer),
               (t, x, y, z, layer), cuda_emu::fetch_cube<T>(cuda_emu::texture_of(t), x, y, z, layer))
#undef CUDA_EMU_FETCH
#undef CUDA_EMU_UNWRAP

// -- surfaces: x counts bytes -----------------------------------------------------------------------
namespace cuda_emu {
// Where an access goes; null where it reads zeros and writes nothing.
inline char *surface_place(cudaSurfaceObject_t object, int x, int y, int z, int bytes,
                           cudaSurfaceBoundaryMode mode) {
  const cudaArray &a = *reinterpret_cast<const cudaArray *>(object);
  int row = static_cast<int>(a.pitch()), rows = static_cast<int>(a.rows()), slices = static_cast<int>(a.slices());
  bool inside = x >= 0 && x + bytes <= row && y >= 0 && y < rows && z >= 0 && z < slices;
  if (!inside && mode == cudaBoundaryModeTrap) {
    std::fprintf(stderr, "cuda_emu: surface access outside its array at (%d,%d,%d)\n", x, y, z);
    __trap();
  }
  if (!inside && mode == cudaBoundaryModeZero) return nullptr;
  auto clamp = [](int v, int n) { return v < 0 ? 0 : v > n ? n : v; };
  x = clamp(x, row - bytes);
  return a.data + x + (static_cast<size_t>(clamp(z, slices - 1)) * a.rows() + static_cast<size_t>(clamp(y, rows - 1))) * a.pitch();
}
template <class T>
T surface_read(cudaSurfaceObject_t s, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  T value{};
  if (const char *at = surface_place(s, x, y, z, sizeof(T), mode)) std::memcpy(static_cast<void *>(&value), at, sizeof(T));
  return value;
}
template <class T>
void surface_write(T value, cudaSurfaceObject_t s, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  if (char *at = surface_place(s, x, y, z, sizeof(T), mode)) std::memcpy(at, static_cast<const void *>(&value), sizeof(T));
}
}  // namespace cuda_emu
#define CUDA_EMU_SURFACE(suffix, place, ...)                                                        \
  template <class T>                                                                                \
  T surf##suffix##read(cudaSurfaceObject_t s, __VA_ARGS__, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) { \
    return cuda_emu::surface_read<T>(s, place, m);                                                  \
  }                                                                                                 \
  template <class T>                                                                                \
  void surf##suffix##read(T *out, cudaSurfaceObject_t s, __VA_ARGS__,                               \
                          cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) {                       \
    *out = cuda_emu::surface_read<T>(s, place, m);                                                  \
  }                                                                                                 \
  template <class T>                                                                                \
  void surf##suffix##write(T value, cudaSurfaceObject_t s, __VA_ARGS__,                             \
                           cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) {                      \
    cuda_emu::surface_write<T>(value, s, place, m);                                                 \
  }
#define CUDA_EMU_XY x, y, 0
#define CUDA_EMU_XYZ x, y, z
#define CUDA_EMU_X x, 0, 0
CUDA_EMU_SURFACE(1D, CUDA_EMU_X, int x)
CUDA_EMU_SURFACE(2D, CUDA_EMU_XY, int x, int y)
CUDA_EMU_SURFACE(3D, CUDA_EMU_XYZ, int x, int y, int z)
CUDA_EMU_SURFACE(2DLayered, CUDA_EMU_XYZ, int x, int y, int z)
CUDA_EMU_SURFACE(Cubemap, CUDA_EMU_XYZ, int x, int y, int z)
#undef CUDA_EMU_X
#undef CUDA_EMU_XY
#undef CUDA_EMU_XYZ
#undef CUDA_EMU_SURFACE
