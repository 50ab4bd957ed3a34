// Kernels whose results do, or do not, depend on what CUDA leaves open.
#include <cstdio>

__global__ void scale(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}

__global__ void sum(int n, const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[i % 3], x[i]);
}

__global__ void last_one(int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[0] = i;
}

__global__ void warp_total(const float *x, float *out) {
  __shared__ float part[2];
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xFFFFFFFFu, v, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = part[0] + part[1];
}

__global__ void outside(int n, float *y) {  // writes past its buffer once n is odd
  int i = threadIdx.x;
  if (i < n) y[i + n % 2 * 4] += 1;
}

__global__ void endless(int n, int *out) {
  while (n == 299) atomicAdd(&out[1], 1);
  out[0] = n;
}

int main() {
  const int n = 300;
  float h[n];
  for (int i = 0; i < n; ++i) h[i] = 1.0f / (i + 1);
  float *x, *y, *s;
  int *o;
  cudaMalloc(&x, sizeof h);
  cudaMalloc(&y, sizeof h);
  cudaMalloc(&s, 16);
  cudaMalloc(&o, 8);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemset(y, 0, sizeof h);
  cudaMemset(s, 0, 16);
  cudaMemset(o, 0, 8);
  scale<<<2, 256>>>(n, 2.0f, x, y);
  sum<<<2, 256>>>(n, x, s);
  last_one<<<2, 256>>>(n, o);
  warp_total<<<4, 64>>>(x, s);
  outside<<<1, 1>>>(2, s);
  endless<<<1, 1>>>(n, o);
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  printf("%s\n", h[0] == 2.0f ? "PASS" : "FAIL");
}
