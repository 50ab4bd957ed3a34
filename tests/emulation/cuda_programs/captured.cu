// Launches whose captures the test knows in every detail.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>
#include <vector>

struct Particle {
  float position[3];
  int kind;
};
struct View {
  long long pad;
  float *data;
  const int *index;
};
enum class Mode : unsigned char { fast = 3 };

__constant__ float scale[2] = {2, 4};
__device__ int launches_seen;
__device__ float *hidden;

namespace shapes {
template <class T, int N>
__global__ void axpy(T a, const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i] * T(N);
  if (i == 0) launches_seen++;
}
}  // namespace shapes

__global__ void scalars(bool b, signed char c, unsigned short s, unsigned long long u, double d,
                        __half h, __nv_bfloat16 g, Mode m, float4 v, float *out) {
  out[threadIdx.x] = v.x * scale[1] + b + c + s + static_cast<float>(u) + static_cast<float>(d) +
                     static_cast<float>(h) + static_cast<float>(g) + static_cast<int>(m);
}
__global__ void view(View v, int n) {
  int i = threadIdx.x;
  if (i < n) v.data[i] = v.index[i];
}
__global__ void table(float **rows, int n) { rows[blockIdx.x][threadIdx.x] = n; }
__global__ void particles(Particle *p, const Particle *unused) { p[threadIdx.x].kind = 5; }
__global__ void host_memory(const int *p, int *q) { q[0] = p[0]; }
static __global__ void many(int *p, int step) { p[0] += step; }
template <class... Rest>
__global__ void pack(int *p, Rest... rest) { p[0] = static_cast<int>((0 + ... + rest)); }
__global__ void through_variable(int n) { hidden[n] = 8; }
extern "C" __global__ void plain(int *p, int) { p[1] = 1; }

int main() {
  const int n = 1000;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  std::vector<float> one(n, 1.0f);
  cudaMemcpy(x, one.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(y, one.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  shapes::axpy<float, 3><<<4, 256>>>(2, x, y + 100, n - 100);
  scalars<<<1, 8>>>(true, -2, 3, 1ull << 40, 0.5, __half(1.5f), __nv_bfloat16(-2.0f), Mode::fast,
                    make_float4(1, 2, 3, 4), y);
  int *index;
  cudaMalloc(&index, 16);
  cudaMemset(index, 0, 16);
  view<<<1, 4>>>(View{7, x + 2, index}, 4);
  float *rows[2] = {x, y + 10}, **device_rows;
  cudaMalloc(&device_rows, sizeof rows);
  cudaMemcpy(device_rows, rows, sizeof rows, cudaMemcpyHostToDevice);
  table<<<2, 3>>>(device_rows, 6);
  Particle *p;
  cudaMalloc(&p, 4 * sizeof(Particle));
  cudaMemset(p, 0, 4 * sizeof(Particle));
  particles<<<1, 4>>>(p, nullptr);
  int here = 3;
  host_memory<<<1, 1>>>(&here, index);
  for (int i = 0; i < 20; ++i) many<<<1, 1>>>(index, 1);
  for (int i = 0; i < 3; ++i) many<<<1, 2>>>(index, i);
  pack<<<1, 1>>>(index, 1, 2.5f);
  plain<<<1, 1>>>(index, 4);
  float *behind = x + 3;
  cudaMemcpyToSymbol(hidden, &behind, sizeof behind);
  through_variable<<<1, 1>>>(4);
  std::vector<float> back(n);
  cudaMemcpy(back.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
  int value;
  cudaMemcpy(&value, index, sizeof value, cudaMemcpyDeviceToHost);
  printf("%g %d\n", back[500], value);
  return back[500] == 5.0f && value == 3 ? 0 : 1;
}
