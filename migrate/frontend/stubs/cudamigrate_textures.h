// Texture fetches and surface accesses by object; CUDA C++ Programming Guide, "Texture Functions"
// and "Surface Functions". Each read has a second form that stores through a pointer.
#pragma once

#include "driver_types.h"

#ifndef CM_D
#define CM_D __device__
#endif

#define CM_TEX(name, ...)                                        \
  template <class T> CM_D T name(cudaTextureObject_t, __VA_ARGS__); \
  template <class T> CM_D void name(T*, cudaTextureObject_t, __VA_ARGS__);
CM_TEX(tex1Dfetch, int)
CM_TEX(tex1D, float)
CM_TEX(tex1DLod, float, float)
CM_TEX(tex1DGrad, float, float, float)
CM_TEX(tex1DLayered, float, int)
CM_TEX(tex1DLayeredLod, float, int, float)
CM_TEX(tex1DLayeredGrad, float, int, float, float)
CM_TEX(tex2D, float, float)
CM_TEX(tex2DLod, float, float, float)
CM_TEX(tex2DGrad, float, float, float2, float2)
CM_TEX(tex2Dgather, float, float, int comp = 0)
CM_TEX(tex2DLayered, float, float, int)
CM_TEX(tex2DLayeredLod, float, float, int, float)
CM_TEX(tex2DLayeredGrad, float, float, int, float2, float2)
CM_TEX(tex3D, float, float, float)
CM_TEX(tex3DLod, float, float, float, float)
CM_TEX(tex3DGrad, float, float, float, float4, float4)
CM_TEX(texCubemap, float, float, float)
CM_TEX(texCubemapLod, float, float, float, float)
CM_TEX(texCubemapGrad, float, float, float, float4, float4)
CM_TEX(texCubemapLayered, float, float, float, int)
CM_TEX(texCubemapLayeredLod, float, float, float, int, float)
#undef CM_TEX

#define CM_SURF(suffix, ...)                                                             \
  template <class T> CM_D T surf##suffix##read(cudaSurfaceObject_t, __VA_ARGS__, CM_MODE);      \
  template <class T> CM_D void surf##suffix##read(T*, cudaSurfaceObject_t, __VA_ARGS__, CM_MODE); \
  template <class T> CM_D void surf##suffix##write(T, cudaSurfaceObject_t, __VA_ARGS__, CM_MODE);
#define CM_MODE cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap
CM_SURF(1D, int)
CM_SURF(2D, int, int)
CM_SURF(3D, int, int, int)
CM_SURF(1DLayered, int, int)
CM_SURF(2DLayered, int, int, int)
CM_SURF(Cubemap, int, int, int)
CM_SURF(CubemapLayered, int, int, int)
#undef CM_SURF
#undef CM_MODE
