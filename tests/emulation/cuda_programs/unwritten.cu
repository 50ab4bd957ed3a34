// Kernels whose results depend on memory that nobody wrote, and some that only look like it.
#include <cstdio>

__global__ void tail(const float *x, float *y, int n) {
  __shared__ float tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) tile[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = tile[63 - threadIdx.x] + 1.0f;
}

__global__ void reversed(const float *x, float *y, int n) {
  __shared__ float tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  y[i] = tile[63 - threadIdx.x];
}

__global__ void never_filled(const float *empty, float *y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = empty[i] * 2.0f;
}

__global__ void half_filled(const float *x, float *y, int n) {  // the rest of y stays unwritten
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n / 2) y[i] = 3.0f * x[i];
}

// Half of these results have the bits in them that another run puts into unwritten memory.
__global__ void looks_fresh(const float *x, float *y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = i % 2 ? 1.4140625f : x[i] + 1.0f;
}

int main() {
  const int n = 128;
  float host[n], *x, *y, *z, *empty;
  for (int i = 0; i < n; ++i) host[i] = i * 0.5f;
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&y, sizeof host);
  cudaMalloc(&z, sizeof host);
  cudaMalloc(&empty, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  half_filled<<<2, 64>>>(x, y, n);
  tail<<<2, 64>>>(x, y, 100);
  reversed<<<2, 64>>>(x, y, n);
  never_filled<<<2, 64>>>(empty, y, n);
  looks_fresh<<<2, 64>>>(x, z, n);
  cudaDeviceSynchronize();
  printf("PASS\n");
  return 0;
}
