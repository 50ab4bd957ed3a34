#include <cstdio>
struct Inner { float *out; int n; };
struct View { const float *a; long long looks; Inner inner; };
__device__ float *hidden;
__global__ void by_struct(View v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < v.inner.n) v.inner.out[i] = v.a[i] * 2.0f + (v.looks != 0 ? 1.0f : 0.0f);
}
__global__ void batched(float **rows, const float *b, int n) {
  int i = threadIdx.x;
  if (i < n) rows[blockIdx.x][i] += b[i];
}
__global__ void through_variable(int n) {
  int i = threadIdx.x;
  if (i < n) hidden[i] = 3.0f * i;
}
int main() {
  const int n = 32;
  float *a, *out, *rows[3], **table, host[n];
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMalloc(&a, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy(out, host, sizeof host, cudaMemcpyHostToDevice);
  for (int i = 0; i < 3; ++i) {
    cudaMalloc(&rows[i], sizeof host);
    cudaMemcpy(rows[i], host, sizeof host, cudaMemcpyHostToDevice);
  }
  cudaMalloc(&table, sizeof rows);
  cudaMemcpy(table, rows, sizeof rows, cudaMemcpyHostToDevice);
  by_struct<<<1, 32>>>(View{a, (long long)(size_t)rows[0], {out, n}});
  batched<<<3, 32>>>(table, a, n);
  cudaMemcpyToSymbol(hidden, &out, sizeof out);
  through_variable<<<1, 32>>>(n);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf(host[5] == 15.0f ? "PASS\n" : "FAIL\n");
  return 0;
}
