// Kernels with barriers and warp operations in flow that all threads take alike. Each is launched
// eight times on memory that the launch before it left; a line tells what it left.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_fp16.h>

__constant__ float weights[4];
__device__ int turns;

__global__ void tree(const float *in, float *out, int n) {
  __shared__ float s[128];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void tiled(const float *a, const float *b, float *c, int n) {
  __shared__ float as[8][8], bs[8][8];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
  float sum = 0.0f;
  for (int t = 0; t < n; t += 8) {
    as[y][x] = a[row * n + t + x];
    bs[y][x] = b[(t + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void shuffled(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 1.0f;
  for (int delta = 16; delta > 0; delta /= 2) v += __shfl_down_sync(0xffffffffu, v, delta);
  float around = __shfl_sync(0xffffffffu, v, threadIdx.x + 3, 8);
  float up = __shfl_up_sync(0xffffffffu, v, 2, 16);
  float cross = __shfl_xor_sync(0xffffffffu, around, 5);
  unsigned whole = v * 1e9f;  // saturates
  if (i < n) out[i] = v + 0.5f * around - up * cross + whole * 1e-9f;
}

__global__ void scan(const int *in, int *out, int n) {
  extern __shared__ int line[];
  int t = threadIdx.x, from = 1, to = 0, size = blockDim.x;
  line[t] = t < n ? in[blockIdx.x * size + t] : 0;
  __syncthreads();
  for (int offset = 1; offset < size; offset *= 2) {
    to = 1 - to;
    from = 1 - to;
    line[to * size + t] = line[from * size + t];
    if (t >= offset) line[to * size + t] += line[from * size + t - offset];
    __syncthreads();
  }
  out[blockIdx.x * size + t] = line[to * size + t];
}

__global__ void transposed(const float *in, float *out, int width) {
  __shared__ float cell[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int j = 0; j < 16; j += 4) cell[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  for (int j = 0; j < 16; j += 4) out[(y + j) * width + x] = cell[threadIdx.x][threadIdx.y + j];
}

__global__ void leaving(float *x, int n) {
  __shared__ float s[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = x[i];
  __syncthreads();
  x[i] = 0.5f * (s[threadIdx.x] + s[0]);
}

__global__ void relaxed(float *x, int n, int rounds) {
  __shared__ float now[66], next[66];
  int t = threadIdx.x + 1, i = blockIdx.x * blockDim.x + threadIdx.x;
  now[t] = i < n ? x[i] : 0.0f;
  if (t == 1) now[0] = 1.0f;
  if (t == 64) now[65] = -1.0f;
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    next[t] = 0.25f * now[t - 1] + 0.5f * now[t] + 0.25f * now[t + 1];
    __syncthreads();
    now[t] = next[t] + weights[round % 4];
  }
  if (i < n) x[i] = now[t];
}

__global__ void voting(const int *in, int *out) {
  int t = threadIdx.x, v = in[blockIdx.x * blockDim.x + t];
  unsigned even = __ballot_sync(0xffffffffu, v % 2 == 0);
  int all = __all_sync(0xffffffffu, v > -100), any = __any_sync(0xffffffffu, v == 7);
  int count = __syncthreads_count(v > 3);
  if (count > 5) {
    __syncthreads();
    v += count;
  }
  unsigned same = __match_any_sync(0xffffffffu, v % 4);
  out[blockIdx.x * blockDim.x + t] = __popc(even) + all * 2 + any * 4 + v + __popc(same);
}

__global__ void by_warps(const float *in, float *out, int rows, int columns) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int row = blockIdx.x * (blockDim.x / 32) + warp; row < rows; row += gridDim.x * (blockDim.x / 32)) {
    float best = -1e30f;
    for (int c = lane; c < columns; c += 32) best = fmaxf(best, in[row * columns + c]);
    for (int m = 16; m > 0; m /= 2) best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, m));
    if (lane == 0) out[row] = best;
  }
}

__global__ void counted(const int *in, unsigned *bins, int n) {
  __shared__ unsigned local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i] & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
  if (threadIdx.x == 0) atomicAdd(&turns, 1);
}

template <typename T, int N>
__global__ void buffered(const T *in, T *out, int n) {
  __shared__ T pages[2][N];
  T held[3];
  for (int k = 0; k < 3; ++k) held[k] = T(k);
  pages[0][threadIdx.x] = in[threadIdx.x];
  for (int p = 1; p <= n; ++p) {
    __syncthreads();
    int from = (p - 1) & 1;
    held[p % 3] = pages[from][(threadIdx.x + 1) % N];
    if (p < n) pages[1 - from][threadIdx.x] = in[p * N + threadIdx.x] + held[(p + 1) % 3];
  }
  out[threadIdx.x] = held[0] + held[1] + held[2];
}

__global__ void plain(const float *x, float *y, int n, double scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half h = __float2half(x[i]);
  y[i] = y[i] * static_cast<float>(scale) + __half2float(h * h) + sinf(x[i]) / (1.0f + fabsf(x[i]));
}

template <class T>
static unsigned long long digest(const T *device, int count) {
  std::vector<unsigned char> bytes(count * sizeof(T));
  cudaMemcpy(bytes.data(), device, bytes.size(), cudaMemcpyDeviceToHost);
  unsigned long long sum = 1469598103934665603ull;
  for (unsigned char b : bytes) sum = (sum ^ b) * 1099511628211ull;
  return sum;
}

int main() {
  const int n = 1024;
  std::vector<float> x(n), y(n);
  std::vector<int> k(n);
  for (int i = 0; i < n; ++i) {
    x[i] = 0.25f * (i % 37) - 3.0f;
    y[i] = 0.125f * (i % 23) + 0.1f;
    k[i] = (i * 7919) % 31 - 4;
  }
  float *a, *b, *c;
  int *in, *out;
  unsigned *bins;
  cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); cudaMalloc(&c, n * 4);
  cudaMalloc(&in, n * 4); cudaMalloc(&out, n * 4); cudaMalloc(&bins, 64);
  cudaMemcpy(a, x.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(b, y.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(in, k.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemset(c, 0, n * 4); cudaMemset(out, 0, n * 4); cudaMemset(bins, 0, 64);
  float w[4] = {0.5f, -0.25f, 0.125f, 0.0f};
  cudaMemcpyToSymbol(weights, w, sizeof w);
  for (int round = 0; round < 8; ++round) {
    tree<<<8, 128>>>(a, c, 1000);
    std::printf("tree %llx\n", digest(c, n));
    tiled<<<dim3(4, 4), dim3(8, 8)>>>(a, b, c, 32);
    std::printf("tiled %llx\n", digest(c, n));
    shuffled<<<11, 96>>>(c, b, 1000);
    std::printf("shuffled %llx\n", digest(b, n));
    scan<<<4, 256, 2 * 256 * sizeof(int)>>>(in, out, 250);
    std::printf("scan %llx\n", digest(out, n));
    transposed<<<dim3(2, 2), dim3(16, 4)>>>(b, c, 32);
    std::printf("transposed %llx\n", digest(c, n));
    leaving<<<16, 64>>>(c, 1000);
    std::printf("leaving %llx\n", digest(c, n));
    relaxed<<<16, 64>>>(c, 1010, 7);
    std::printf("relaxed %llx\n", digest(c, n));
    voting<<<8, 128>>>(out, in);
    std::printf("voting %llx\n", digest(in, n));
    by_warps<<<2, 128>>>(c, a, 19, 50);
    std::printf("by_warps %llx\n", digest(a, n));
    counted<<<4, 64>>>(in, bins, 1000);
    std::printf("counted %llx\n", digest(bins, 16));
    buffered<float, 64><<<1, 64>>>(a, c, 9);
    std::printf("buffered %llx\n", digest(c, n));
    buffered<int, 32><<<1, 32>>>(in, out, 5);
    std::printf("buffered_int %llx\n", digest(out, n));
    plain<<<8, 128>>>(c, b, 1000, 0.5);
    std::printf("plain %llx\n", digest(b, n));
  }
  int seen = 0;
  cudaMemcpyFromSymbol(&seen, turns, sizeof seen);
  std::printf("turns %d\n", seen);
}
