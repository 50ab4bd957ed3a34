// Device variables in every place where a program may put them.
#include <cstdio>

namespace outer {
__constant__ float weights[2];
__device__ int counter;
namespace {
__device__ float hidden[3];
}
}  // namespace outer
struct Holder {
  static __device__ int seen;
};
__device__ int Holder::seen = 3;
__managed__ int shared_with_host[4];
template <class T>
__constant__ T mask[3];

template <class T>
__global__ void use(T *y) {
  int i = threadIdx.x;
  if (i < 2) y[i] = outer::weights[i] + outer::hidden[i] + Holder::seen + mask<T>[i];
  if (i == 0) atomicAdd(&outer::counter, 1);
  if (i < 4) shared_with_host[i] += 1;
}

template <class T>
void run(T *y, T *host) {
  T values[3] = {5, 6, 7};
  cudaMemcpyToSymbol(mask<T>, values, sizeof values);
  use<<<1, 32>>>(y);
  cudaMemcpy(host, y, 2 * sizeof(T), cudaMemcpyDeviceToHost);
}

int main() {
  float h[3] = {1, 2, 3}, *y;
  double d[2], *z;
  cudaMalloc(&y, 8);
  cudaMalloc(&z, 16);
  cudaMemcpyToSymbol(outer::weights, h, 8);
  cudaMemcpyToSymbol(outer::hidden, h, 12);
  for (int i = 0; i < 4; ++i) shared_with_host[i] = i;
  run(y, h);
  run(z, d);
  printf("%g %g %d\n", h[0], d[1], shared_with_host[3]);
}
