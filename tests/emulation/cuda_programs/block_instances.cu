// Instances made for blocks of other sizes than the launch that there is.
#include <cub/cub.cuh>

#include <cstdio>

template <int Threads>
__global__ void total(const float *x, float *y) {
  using Reduce = cub::BlockReduce<float, Threads>;
  __shared__ typename Reduce::TempStorage storage;
  const float sum = Reduce(storage).Sum(x[threadIdx.x]);
  if (threadIdx.x == 0) *y = sum;
}

template <int Scale>
__global__ void scaled(const float *x, float *y) {
  using Reduce = cub::BlockReduce<float, 64>;
  __shared__ typename Reduce::TempStorage storage;
  const float sum = Reduce(storage).Sum(Scale * x[threadIdx.x]);
  if (threadIdx.x == 0) *y = sum;
}

void choose(int threads, const float *x, float *y) {
  switch (threads) {
    case 32: total<32><<<1, 32>>>(x, y); break;
    case 64: total<64><<<1, 64>>>(x, y); break;
    case 128: total<128><<<1, 128>>>(x, y); break;
    case 1: scaled<1><<<1, 64>>>(x, y); break;
    case 2: scaled<2><<<1, 64>>>(x, y); break;
  }
}

int main() {
  float h[128], sum = 0, *x, *y;
  for (int i = 0; i < 128; ++i) h[i] = i + 1;
  cudaMalloc(&x, sizeof h);
  cudaMalloc(&y, sizeof sum);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  choose(1, x, y);
  choose(64, x, y);
  cudaMemcpy(&sum, y, sizeof sum, cudaMemcpyDeviceToHost);
  printf("%s\n", sum == 2080 ? "PASS" : "FAIL");
}
