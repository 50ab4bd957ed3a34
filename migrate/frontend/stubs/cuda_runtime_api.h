// Functions of the CUDA runtime, and the two that clang itself calls for `<<<...>>>`.
#pragma once

#include "driver_types.h"

cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" unsigned int __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);

// --- device and errors ----------------------------------------------------------------------
__host__ __device__ cudaError_t cudaDeviceSynchronize();
cudaError_t cudaThreadSynchronize();
cudaError_t cudaThreadExit();
cudaError_t cudaDeviceReset();
__host__ __device__ cudaError_t cudaGetLastError();
__host__ __device__ cudaError_t cudaPeekAtLastError();
__host__ __device__ const char* cudaGetErrorString(cudaError_t);
__host__ __device__ const char* cudaGetErrorName(cudaError_t);
__host__ __device__ cudaError_t cudaGetDevice(int*);
cudaError_t cudaSetDevice(int);
__host__ __device__ cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int);
cudaError_t cudaChooseDevice(int*, const cudaDeviceProp*);
__host__ __device__ cudaError_t cudaDeviceGetAttribute(int*, cudaDeviceAttr, int);
__host__ __device__ cudaError_t cudaDeviceGetLimit(size_t*, cudaLimit);
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache*);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig);
cudaError_t cudaSetDeviceFlags(unsigned int);
cudaError_t cudaDeviceGetStreamPriorityRange(int*, int*);
cudaError_t cudaDeviceGetPCIBusId(char*, int, int);
cudaError_t cudaDeviceCanAccessPeer(int*, int, int);
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int);
cudaError_t cudaDeviceDisablePeerAccess(int);
cudaError_t cudaDriverGetVersion(int*);
cudaError_t cudaRuntimeGetVersion(int*);

// --- memory ---------------------------------------------------------------------------------
__host__ __device__ cudaError_t cudaMalloc(void**, size_t);
__host__ __device__ cudaError_t cudaFree(void*);
cudaError_t cudaMallocHost(void**, size_t);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaHostAlloc(void**, size_t, unsigned int);
cudaError_t cudaHostRegister(void*, size_t, unsigned int);
cudaError_t cudaHostUnregister(void*);
cudaError_t cudaHostGetDevicePointer(void**, void*, unsigned int);
cudaError_t cudaMallocManaged(void**, size_t, unsigned int = cudaMemAttachGlobal);
cudaError_t cudaMallocPitch(void**, size_t*, size_t, size_t);
cudaError_t cudaMalloc3D(cudaPitchedPtr*, cudaExtent);
cudaError_t cudaMallocAsync(void**, size_t, cudaStream_t);
cudaError_t cudaFreeAsync(void*, cudaStream_t);
cudaError_t cudaMemGetInfo(size_t*, size_t*);
cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpyPeer(void*, int, const void*, int, size_t);
cudaError_t cudaMemcpyPeerAsync(void*, int, const void*, int, size_t, cudaStream_t = 0);
cudaError_t cudaMemcpy2D(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy2DAsync(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind,
                              cudaStream_t = 0);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms*);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms*, cudaStream_t = 0);
cudaError_t cudaMemset(void*, int, size_t);
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t = 0);
cudaError_t cudaMemset2D(void*, size_t, int, size_t, size_t);
cudaError_t cudaMemset2DAsync(void*, size_t, int, size_t, size_t, cudaStream_t = 0);
cudaError_t cudaMemset3D(cudaPitchedPtr, int, cudaExtent);
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t = 0);
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned int,
                                 cudaStream_t = 0);
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation);
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes*, const void*);
cudaError_t cudaMemcpyToSymbol(const void*, const void*, size_t, size_t = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice);
cudaError_t cudaMemcpyFromSymbol(void*, const void*, size_t, size_t = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost);
cudaError_t cudaMemcpyToSymbolAsync(const void*, const void*, size_t, size_t, cudaMemcpyKind,
                                    cudaStream_t = 0);
cudaError_t cudaMemcpyFromSymbolAsync(void*, const void*, size_t, size_t, cudaMemcpyKind,
                                      cudaStream_t = 0);
cudaError_t cudaGetSymbolAddress(void**, const void*);
cudaError_t cudaGetSymbolSize(size_t*, const void*);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*);

template <class T> cudaError_t cudaMalloc(T** p, size_t n);
template <class T> cudaError_t cudaMallocHost(T** p, size_t n, unsigned int flags = 0);
template <class T> cudaError_t cudaHostAlloc(T** p, size_t n, unsigned int flags);
template <class T> cudaError_t cudaMallocManaged(T** p, size_t n,
                                                 unsigned int flags = cudaMemAttachGlobal);
template <class T> cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t w, size_t h);
template <class T> cudaError_t cudaMallocAsync(T** p, size_t n, cudaStream_t s);
template <class T> cudaError_t cudaHostGetDevicePointer(T** p, void* h, unsigned int flags);
template <class T> cudaError_t cudaMemcpyToSymbol(const T& symbol, const void*, size_t, size_t = 0,
                                                  cudaMemcpyKind = cudaMemcpyHostToDevice);
template <class T> cudaError_t cudaMemcpyFromSymbol(void*, const T& symbol, size_t, size_t = 0,
                                                    cudaMemcpyKind = cudaMemcpyDeviceToHost);
template <class T> cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void*, size_t,
                                                       size_t = 0,
                                                       cudaMemcpyKind = cudaMemcpyHostToDevice,
                                                       cudaStream_t = 0);
template <class T> cudaError_t cudaMemcpyFromSymbolAsync(void*, const T& symbol, size_t,
                                                         size_t = 0,
                                                         cudaMemcpyKind = cudaMemcpyDeviceToHost,
                                                         cudaStream_t = 0);
template <class T> cudaError_t cudaGetSymbolAddress(void**, const T& symbol);
template <class T> cudaError_t cudaGetSymbolSize(size_t*, const T& symbol);

// --- streams and events ---------------------------------------------------------------------
cudaError_t cudaStreamCreate(cudaStream_t*);
__host__ __device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned int);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t*, unsigned int, int);
__host__ __device__ cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int = 0);
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void*, unsigned int);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t = 0, unsigned int = 4);
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*);
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus*);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void*);
cudaError_t cudaEventCreate(cudaEvent_t*);
__host__ __device__ cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned int);
cudaError_t cudaEventCreate(cudaEvent_t*, unsigned int);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long = 0);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, cudaGraphNode_t*, char*, size_t);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);

// --- kernels --------------------------------------------------------------------------------
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t = 0, cudaStream_t = 0);
cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t = 0,
                                        cudaStream_t = 0);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**);
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int);
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache);
cudaError_t cudaFuncSetSharedMemConfig(const void*, cudaSharedMemConfig);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, size_t);
template <class T>
cudaError_t cudaLaunchKernel(T*, dim3, dim3, void**, size_t = 0, cudaStream_t = 0);
template <class T>
cudaError_t cudaLaunchCooperativeKernel(T*, dim3, dim3, void**, size_t = 0, cudaStream_t = 0);
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t*, void (*)(P...), A&&...);
template <class T> cudaError_t cudaFuncSetAttribute(T*, cudaFuncAttribute, int);
template <class T> cudaError_t cudaFuncSetCacheConfig(T*, cudaFuncCache);
template <class T> cudaError_t cudaFuncSetSharedMemConfig(T*, cudaSharedMemConfig);
template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, T*);
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, T, int, size_t);
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int*, int*, T, size_t = 0, int = 0);

// --- arrays, textures and surfaces ----------------------------------------------------------
cudaPitchedPtr make_cudaPitchedPtr(void*, size_t, size_t, size_t);
cudaExtent make_cudaExtent(size_t, size_t, size_t);
cudaPos make_cudaPos(size_t, size_t, size_t);
cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int, cudaChannelFormatKind);
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc();
cudaError_t cudaMallocArray(cudaArray_t*, const cudaChannelFormatDesc*, size_t, size_t = 0,
                            unsigned int = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t*, const cudaChannelFormatDesc*, cudaExtent,
                              unsigned int = 0);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaMemcpyToArray(cudaArray_t, size_t, size_t, const void*, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t, size_t, const void*, size_t, size_t, size_t,
                                cudaMemcpyKind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t*, const cudaResourceDesc*,
                                    const cudaTextureDesc*, const void*);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t*, const cudaResourceDesc*);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);

// --- graphics resources ---------------------------------------------------------------------
cudaError_t cudaGraphicsMapResources(int, cudaGraphicsResource_t*, cudaStream_t = 0);
cudaError_t cudaGraphicsUnmapResources(int, cudaGraphicsResource_t*, cudaStream_t = 0);
cudaError_t cudaGraphicsResourceGetMappedPointer(void**, size_t*, cudaGraphicsResource_t);
template <class T>
cudaError_t cudaGraphicsResourceGetMappedPointer(T**, size_t*, cudaGraphicsResource_t);
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t, unsigned int);
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t*, cudaGraphicsResource_t, unsigned int,
                                                  unsigned int);
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t);
