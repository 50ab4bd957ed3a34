// Launches in the forms that the bridge has to replace. The first argument is a size of blocks.
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>

struct Scale {
  float factor;
  const float *offsets;
  unsigned char shift;
  struct {
    short side;
    int step;
  } steps[2];
};

__constant__ float weights[3] = {1.0f, 2.0f, 4.0f};

namespace inner {
namespace {
// Deduced template arguments, a struct with a pointer in it, and a half by value.
template <class T, int N>
__global__ void scale(Scale s, __half bias, const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * (T)s.factor * (T)N + (s.offsets ? (T)s.offsets[i] : (T)0) + (T)__half2float(bias) + (T)s.shift
                       + (T)s.steps[i % 2].step;
}
}  // namespace
}  // namespace inner

// Reads other lanes of its block, so a compiled kernel is made for one size.
__global__ void turn(float *data, int n) {
  extern __shared__ float lanes[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  lanes[threadIdx.x] = i < n ? data[i] : 0.0f;
  __syncthreads();
  if (i < n) data[i] = lanes[blockDim.x - 1 - threadIdx.x] * weights[threadIdx.x % 3];
}

// Deduces its argument, so the launch depends on the template.
template <class T>
void run_scale(Scale s, const T *x, T *y, int n, cudaStream_t stream) {
  inner::scale<T, 3><<<(n + 127) / 128, 128, 0, stream>>>(s, __float2half(0.5f), x, y, n);
}

#define TURN(grid, block, bytes, ...) turn<<<grid, block, bytes>>>(__VA_ARGS__)

int main(int argc, char **argv) {
  const int block = argc > 1 ? std::atoi(argv[1]) : 64, n = 4 * block;
  float *x, *y, *offsets;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
  cudaMallocManaged(&offsets, n * sizeof(float));
  for (int i = 0; i < n; ++i) x[i] = i, y[i] = -1, offsets[i] = 2 * i;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  run_scale(Scale{2.0f, offsets, 200, {{1, 7}, {2, 9}}}, x, y, n, stream);
  cudaStreamSynchronize(stream);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += y[i] != i * 6.0f + 2 * i + 0.5f + 200 + (i % 2 ? 9 : 7);
  run_scale(Scale{2.0f, nullptr, 0}, x, y, n, nullptr);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) wrong += y[i] != i * 6.0f + 0.5f;

  // Twice by a graph, which runs nothing while it is captured.
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  turn<<<4, block, block * sizeof(float), stream>>>(x, n);
  cudaStreamEndCapture(stream, &graph);
  wrong += x[1] != 1;
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, stream);
  cudaStreamSynchronize(stream);
  TURN(4, block, block * sizeof(float), x, n);
  void *args[] = {&x, (void *)&n};
  if (argc > 2) cudaLaunchKernel((const void *)turn, dim3(4), dim3(block), args, block * sizeof(float), 0);
  if (cudaGetLastError() != cudaSuccess) return std::puts("a launch was refused"), 2;
  cudaDeviceSynchronize();
  const float w[3] = {1, 2, 4};
  for (int i = 0; i < n; ++i) {
    int lane = i % block, mirrored = block - 1 - lane;
    float once = (i - lane + lane) * w[mirrored % 3] * w[lane % 3];
    if (argc <= 2) wrong += x[i] != once;
  }
  std::puts(wrong ? "FAIL" : "PASS");
  return wrong != 0;
}
