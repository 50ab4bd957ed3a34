// Types, constants and calls without a counterpart: the program runs as long as it meets none of them.
#include <cuda_runtime.h>
#include <cudnn.h>
#include <cstdio>
#define CHECK(e) do { cudaError_t r = (e); if (r != cudaSuccess) { printf("%s\n", cudaGetErrorString(r)); return 1; } } while (0)
__global__ void add(float* x, float v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += v; }
int neverCalled(cudnnHandle_t handle) {
  cudnnTensorDescriptor_t t;
  cudnnStatus_t st = cudnnCreateTensorDescriptor(&t);
  if (st != CUDNN_STATUS_SUCCESS) return 1;
  cudaResourceDesc rd; rd.resType = cudaResourceTypeLinear; rd.res.linear.devPtr = nullptr;
  const char* why = cudnnGetErrorString(st);
  switch (st) { case CUDNN_STATUS_ALLOC_FAILED: return 3; default: break; }
  CUdevice dev; cuDeviceGet(&dev, 0);
  return why != nullptr;
}
int main(int argc, char**) {
  if (argc > 1) return neverCalled(cudnnHandle_t());
  float* d; CHECK(cudaMalloc(&d, 64)); add<<<1, 16>>>(d, 1.0f, 16); CHECK(cudaDeviceSynchronize());
  printf("PASS\n"); return 0;
}
