// Accesses outside memory. `Right` selects the twin without the fault. The line of a fault ends in
// `// FAULT <case> <code>`.
#pragma once

template <bool Right>
__global__ void past_the_end(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n + (Right ? 0 : 1))
    out[i] = 1.0f;  // FAULT past_the_end CM5201
}

template <bool Right>
__global__ void before_the_start(const int *in, int *out) {
  int i = threadIdx.x;
  if (Right && i == 0) return;
  out[i] = in[i - 1];  // FAULT before_the_start CM5201
}

template <bool Right>
__global__ void shared_overrun(float *out) {
  extern __shared__ float tile[];
  int i = threadIdx.x;
  tile[i] = static_cast<float>(i);
  if (i == blockDim.x - 1)
    tile[blockDim.x - (Right ? 1 : 0)] = 2.0f;  // FAULT shared_overrun CM5202
  __syncthreads();
  out[blockIdx.x * blockDim.x + i] = tile[i];
}

template <bool Right>
__global__ void local_overrun(int *out, int n) {
  int window[4] = {1, 2, 3, 4};
  int sum = 0;
  for (int i = 0; i < n + (Right ? 0 : 1); ++i)
    sum += window[i];  // FAULT local_overrun CM5203
  out[threadIdx.x] = sum;
}

template <bool Right>
__global__ void misaligned_vector(const float *in, float4 *out) {
  const float *start = in + (Right ? 4 : 1);
  out[threadIdx.x] = reinterpret_cast<const float4 *>(start)[threadIdx.x];  // FAULT misaligned_vector CM5204
}

template <bool Right>
__global__ void reads_freed(const float *in, float *out) {
  out[threadIdx.x] = in[threadIdx.x];  // FAULT reads_freed CM5205
}

template <bool Right>
void run_past_the_end() {
  float *out;
  cudaMalloc(&out, 1000 * sizeof(float));
  past_the_end<Right><<<8, 128>>>(out, 1000);
  cudaFree(out);
}

template <bool Right>
void run_before_the_start() {
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 0, 64 * sizeof(int));
  before_the_start<Right><<<1, 64>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}

template <bool Right>
void run_shared_overrun() {
  float *out;
  cudaMalloc(&out, 64 * sizeof(float));
  shared_overrun<Right><<<2, 32, 32 * sizeof(float)>>>(out);
  cudaFree(out);
}

template <bool Right>
void run_local_overrun() {
  int *out;
  cudaMalloc(&out, 32 * sizeof(int));
  local_overrun<Right><<<1, 32>>>(out, 4);
  cudaFree(out);
}

template <bool Right>
void run_misaligned_vector() {
  float *in;
  float4 *out;
  cudaMalloc(&in, 256 * sizeof(float));
  cudaMalloc(&out, 32 * sizeof(float4));
  cudaMemset(in, 0, 256 * sizeof(float));
  misaligned_vector<Right><<<1, 32>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}

template <bool Right>
void run_reads_freed() {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  if (!Right) cudaFree(in);
  reads_freed<Right><<<1, 64>>>(in, out);
  if (Right) cudaFree(in);
  cudaFree(out);
}
