// Four launches, timed: saxpy, tiled matmul, tree reduction, shuffle reduction.
//
// usage: launches NAME [REPEATS]    prints "NAME median_ms median_cpu_ms checksum"
//
// CPU time is that of the process on all its cores: what else the machine does hardly changes it.
//
// With -DOTHER_RUNTIME the same file is HIP: names and launches are macros, everything else is one
// text. HIP on the CPU has warps of 64 lanes; the shuffles name a width of 32, so that both run the
// same steps.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#ifdef OTHER_RUNTIME
#include <hip/hip_runtime.h>
#define cudaMalloc hipMalloc
#define cudaMemcpy hipMemcpy
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaDeviceSynchronize hipDeviceSynchronize
#define LAUNCH(kernel, grid, block, ...) hipLaunchKernelGGL(kernel, grid, block, 0, nullptr, __VA_ARGS__)
#define SHUFFLE_DOWN(value, delta) __shfl_down(value, delta, 32)
#else
#include <cuda_runtime.h>
#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#define SHUFFLE_DOWN(value, delta) __shfl_down_sync(0xffffffffu, value, delta)
#endif

constexpr int count = 1 << 20;
constexpr int side = 256;
constexpr int tile = 16;
constexpr int threads = 256;
constexpr int warm_up = 5;

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float as[tile][tile];
  __shared__ float bs[tile][tile];
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < n / tile; ++t) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t * tile + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t * tile + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void tree(const float *in, float *out, int n) {
  __shared__ float s[threads];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void shuffle(const float *in, float *out, int n) {
  __shared__ float s[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = i < n ? in[i] : 0.0f;
  for (int delta = 16; delta > 0; delta >>= 1) v += SHUFFLE_DOWN(v, delta);
  if (lane == 0) s[warp] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int w = 0; w < blockDim.x / 32; ++w) sum += s[w];
    out[blockIdx.x] = sum;
  }
}

static double checksum(const std::vector<float> &values) {
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] * static_cast<double>(i % 7 + 1);
  return sum;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "saxpy";
  int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
  bool square = std::strcmp(name, "matmul") == 0;
  std::size_t size = square ? side * side : count;
  std::vector<float> x(size), y(size), z(size);
  for (std::size_t i = 0; i < size; ++i) {
    x[i] = static_cast<float>(i % 101) * 0.25f;
    y[i] = static_cast<float>(i % 89) * 0.5f;
  }
  float *dx, *dy, *dz;
  cudaMalloc((void **)&dx, size * sizeof(float));
  cudaMalloc((void **)&dy, size * sizeof(float));
  cudaMalloc((void **)&dz, size * sizeof(float));
  cudaMemcpy(dx, x.data(), size * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), size * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dz, z.data(), size * sizeof(float), cudaMemcpyHostToDevice);
  std::vector<double> times, cpu_times;
  for (int r = 0; r < warm_up + repeats; ++r) {
    auto begin = std::chrono::steady_clock::now();
    std::clock_t cpu = std::clock();
    if (square) {
      LAUNCH(matmul, dim3(side / tile, side / tile), dim3(tile, tile), dx, dy, dz, side);
    } else if (std::strcmp(name, "saxpy") == 0) {
      LAUNCH(saxpy, dim3(count / threads), dim3(threads), count, 2.0f, dx, dy);
    } else if (std::strcmp(name, "tree") == 0) {
      LAUNCH(tree, dim3(count / threads), dim3(threads), dx, dz, count);
    } else {
      LAUNCH(shuffle, dim3(count / threads), dim3(threads), dx, dz, count);
    }
    cudaDeviceSynchronize();
    std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
    if (r < warm_up) continue;
    times.push_back(spent.count());
    cpu_times.push_back(1e3 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
  }
  float *result = std::strcmp(name, "saxpy") == 0 ? dy : dz;
  cudaMemcpy(z.data(), result, size * sizeof(float), cudaMemcpyDeviceToHost);
  std::sort(times.begin(), times.end());
  std::sort(cpu_times.begin(), cpu_times.end());
  std::printf("%s %.3f %.3f %.17g\n", name, times[times.size() / 2],
              cpu_times[cpu_times.size() / 2], checksum(z));
}
