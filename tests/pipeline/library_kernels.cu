// Random numbers of each generator, and a product of warp matrices, with checks of their own.
#include <cstdio>
#include <cuda_fp16.h>
#include <curand_kernel.h>
#include <mma.h>

using namespace nvcuda;

__global__ void start(curandState* s, unsigned seed) { curand_init(seed, threadIdx.x, 2, &s[threadIdx.x]); }
__global__ void draw(curandState* s, float* o) {
  curandState mine = s[threadIdx.x];
  o[threadIdx.x] = curand_uniform(&mine) + curand_normal(&mine);
  s[threadIdx.x] = mine;
}
__global__ void counter(float4* o) {
  curandStatePhilox4_32_10_t s;
  curand_init(7ULL, threadIdx.x, 0, &s);
  o[threadIdx.x] = curand_uniform4(&s);
}
__global__ void sums(double* o) {
  curandStateMRG32k3a s;
  curand_init(7ULL, threadIdx.x, 0, &s);
  o[threadIdx.x] = curand_uniform_double(&s) + curand_poisson(&s, 3.0);
}
__global__ void sobol(float* o, unsigned* directions) {
  curandStateSobol32 s;
  curand_init(directions, threadIdx.x, &s);
  o[threadIdx.x] = curand_uniform(&s);
}
__global__ void product(const half* a, const half* b, float* c, float alpha, int n) {
  int row = blockIdx.y * 16, col = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + row * n + k, n);
    wmma::load_matrix_sync(fb, b + col * n + k, n);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  for (int i = 0; i < acc.num_elements; ++i) acc.x[i] *= alpha;
  wmma::store_matrix_sync(c + row * n + col, acc, n, wmma::mem_row_major);
}

static int number(int i) { return i % 7 - 3; }

int main() {
  const int n = 32;
  curandState* states;
  float *o, *c, got[n * n];
  float4* four;
  double* wide;
  unsigned *directions, bits[32];
  half *a, h[n * n];
  cudaMalloc(&states, 64 * sizeof *states);
  cudaMalloc(&o, 256);
  cudaMalloc(&four, 1024);
  cudaMalloc(&wide, 512);
  cudaMalloc(&directions, 128);
  cudaMalloc(&a, sizeof h);
  cudaMalloc(&c, sizeof got);
  for (int i = 0; i < 32; ++i) bits[i] = 1u << (31 - i);
  for (int i = 0; i < n * n; ++i) h[i] = __float2half(number(i));
  cudaMemcpy(directions, bits, 128, cudaMemcpyHostToDevice);
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  start<<<1, 64>>>(states, 1234);
  draw<<<1, 64>>>(states, o);
  counter<<<1, 64>>>(four);
  sums<<<1, 64>>>(wide);
  sobol<<<1, 64>>>(o, directions);
  cudaMemcpy(got, o, 256, cudaMemcpyDeviceToHost);
  int bad = got[1] != 0.5f || got[2] != 0.75f || got[3] != 0.25f;  // van der Corput in Gray code order
  product<<<dim3(n / 16, n / 16), 32>>>(a, a, c, 0.5f, n);
  cudaMemcpy(got, c, sizeof got, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int k = 0; k < n; ++k) sum += number(i * n + k) * number(j * n + k);
      bad += got[i * n + j] != sum * 0.5f;
    }
  puts(bad ? "FAIL" : "PASS");
}
