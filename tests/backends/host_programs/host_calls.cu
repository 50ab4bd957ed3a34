// Host calls of many kinds; each is checked by what it leaves behind.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
#define CHECK(e) do { cudaError_t r = (e); if (r != cudaSuccess) { printf("%s\n", cudaGetErrorString(r)); return 1; } } while (0)
__global__ void add(float* x, float v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += v; }
void CUDART_CB done(void* p) { ++*(int*)p; }
void CUDART_CB cb(cudaStream_t s, cudaError_t e, void* p) { if (e == cudaSuccess) ++*(int*)p; }
int main() {
  int n = 1000; float* m; CHECK(cudaMallocManaged(&m, n * sizeof(float)));
  for (int i = 0; i < n; ++i) m[i] = i;
  add<<<4, 256>>>(m, 1.0f, n); add<<<4, 256>>>(m + 10, 1.0f, n - 10);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) if (m[i] != i + 1 + (i >= 10)) { printf("FAIL managed %d %f\n", i, m[i]); return 1; }
  std::vector<float> h(n); float* d; CHECK(cudaMalloc(&d, n * 4));
  CHECK(cudaMemcpy(d, m, n * 4, cudaMemcpyDeviceToDevice)); CHECK(cudaMemcpy(h.data(), d, n * 4, cudaMemcpyDeviceToHost));
  if (h[999] != 1001) { printf("FAIL copy %f\n", h[999]); return 1; }
  CHECK(cudaMemset(m, 0, n * 4)); if (m[5] != 0) return 1;
  cudaStream_t s; CHECK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, 0)); int prio = -1; CHECK(cudaStreamGetPriority(s, &prio));
  cudaGraph_t g; cudaGraphExec_t ge; CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  add<<<4, 256, 0, s>>>(d, 2.0f, n); CHECK(cudaMemcpyAsync(h.data(), d, n * 4, cudaMemcpyDeviceToHost, s));
  cudaStreamCaptureStatus cs; CHECK(cudaStreamIsCapturing(s, &cs)); if (cs != cudaStreamCaptureStatusActive) return 1;
  CHECK(cudaStreamEndCapture(s, &g)); CHECK(cudaGraphInstantiate(&ge, g, nullptr, nullptr, 0));
  if (h[999] != 1001) { printf("FAIL ran while captured\n"); return 1; }
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(ge, s));
  CHECK(cudaStreamSynchronize(s)); if (h[999] != 1007) { printf("FAIL graph %f\n", h[999]); return 1; }
  CHECK(cudaGraphExecDestroy(ge)); CHECK(cudaGraphDestroy(g));
  int count = 0; CHECK(cudaLaunchHostFunc(s, done, &count)); CHECK(cudaStreamAddCallback(s, cb, &count, 0)); CHECK(cudaStreamSynchronize(s)); if (count != 2) return 1;
  float v = 5; void* args[] = {&d, &v, &n}; CHECK(cudaLaunchKernel((void*)add, dim3(4), dim3(256), args, 0, s)); CHECK(cudaStreamSynchronize(s));
  CHECK(cudaMemcpy(h.data(), d, n * 4, cudaMemcpyDeviceToHost)); if (h[999] != 1012) { printf("FAIL launchKernel %f\n", h[999]); return 1; }
  int blocks = 0; CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0)); if (blocks != 1) return 1;
  int grid, block; CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add, 0, 0)); if (block != 1024) return 1;
  cudaFuncAttributes fa; CHECK(cudaFuncGetAttributes(&fa, (const void*)add)); if (fa.maxThreadsPerBlock != 1024) return 1;
  float* a; CHECK(cudaMallocAsync(&a, 64, s)); CHECK(cudaFreeAsync(a, s));
  cudaMemPool_t pool; CHECK(cudaDeviceGetDefaultMemPool(&pool, 0)); unsigned long long th = 77; CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &th));
  cudaExtent ext = make_cudaExtent(64, 4, 3); cudaPitchedPtr pp; CHECK(cudaMalloc3D(&pp, ext)); CHECK(cudaMemset3D(pp, 7, ext));
  std::vector<char> back(64 * 4 * 3); cudaMemcpy3DParms parms = {0}; parms.srcPtr = pp; parms.dstPtr = make_cudaPitchedPtr(back.data(), 64, 64, 4); parms.extent = ext; parms.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&parms)); for (char c : back) if (c != 7) { printf("FAIL 3d\n"); return 1; }
  int can = 0; CHECK(cudaDeviceCanAccessPeer(&can, 0, 0)); int val = 0; CHECK(cudaDeviceGetAttribute(&val, cudaDevAttrWarpSize, 0)); if (val != 32) return 1;
  cudaPointerAttributes at; CHECK(cudaPointerGetAttributes(&at, d)); if (at.type != cudaMemoryTypeDevice) return 1;
  float* hp; CHECK(cudaHostAlloc(&hp, 400, cudaHostAllocMapped)); float* dp; CHECK(cudaHostGetDevicePointer(&dp, hp, 0)); for (int i = 0; i < 100; ++i) hp[i] = 1;
  add<<<1, 128>>>(dp, 1.0f, 100); CHECK(cudaDeviceSynchronize()); if (hp[99] != 2) { printf("FAIL mapped\n"); return 1; }
  cudaIpcMemHandle_t ih; CHECK(cudaIpcGetMemHandle(&ih, d)); float* o; CHECK(cudaIpcOpenMemHandle((void**)&o, ih, cudaIpcMemLazyEnablePeerAccess)); CHECK(cudaIpcCloseMemHandle(o));
  char bus[32]; CHECK(cudaDeviceGetPCIBusId(bus, 32, 0)); size_t lim; CHECK(cudaDeviceGetLimit(&lim, cudaLimitStackSize)); int ver; CHECK(cudaRuntimeGetVersion(&ver));
  CHECK(cudaFree(m)); CHECK(cudaFree(d)); CHECK(cudaFree(pp.ptr)); CHECK(cudaFreeHost(hp));
  printf("PASS\n"); return 0;
}
