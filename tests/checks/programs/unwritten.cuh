// Reads of memory that nobody has written.
#pragma once

template <bool Right>
__global__ void sums_into_fresh_memory(const float *in, float *out) {
  int i = threadIdx.x;
  if (Right) out[i] = 0.0f;
  out[i] += in[i];  // FAULT sums_into_fresh_memory CM5221
}

template <bool Right>
__global__ void counts_into_fresh_memory(int *counts) {
  atomicAdd(&counts[threadIdx.x % 4], 1);  // FAULT counts_into_fresh_memory CM5221
}

template <bool Right>
__global__ void halo_not_loaded(const float *in, float *out) {
  __shared__ float tile[66];
  int i = threadIdx.x;
  tile[i + 1] = in[i];
  if (Right && i == 0) tile[0] = tile[65] = 0.0f;
  __syncthreads();
  out[i] = tile[i] + tile[i + 2];  // FAULT halo_not_loaded CM5222
}

template <bool Right>
__global__ void part_of_dynamic_memory(float *out) {
  extern __shared__ float part[];
  int i = threadIdx.x;
  if (Right || i < 16) part[i] = 1.0f;
  __syncthreads();
  out[i] = part[31 - i];  // FAULT part_of_dynamic_memory CM5222
}

// The tail of the buffer was not copied.
template <bool Right>
__global__ void scales(const double *in, double *out) {
  int i = threadIdx.x;
  out[i] = 2.0 * in[i];  // FAULT short_copy CM5221
}

struct Particle {
  float x, y, z, mass;
};
template <bool Right>
__global__ void moves(Particle *p) {
  if (Right) p[threadIdx.x].mass = 1.0f;
  p[threadIdx.x].x = 1.0f;
  p[threadIdx.x].y = p[threadIdx.x].mass;  // FAULT one_field CM5221
}

template <bool Right>
void run_sums_into_fresh_memory() {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  sums_into_fresh_memory<Right><<<1, 64>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
template <bool Right>
void run_counts_into_fresh_memory() {
  int *counts;
  cudaMalloc(&counts, 4 * sizeof(int));
  if (Right) cudaMemset(counts, 0, 4 * sizeof(int));
  counts_into_fresh_memory<Right><<<1, 64>>>(counts);
  cudaFree(counts);
}
template <bool Right>
void run_halo_not_loaded() { with_buffers<float>(halo_not_loaded<Right>, 1, 64); }
template <bool Right>
void run_part_of_dynamic_memory() {
  float *out;
  cudaMalloc(&out, 32 * sizeof(float));
  part_of_dynamic_memory<Right><<<1, 32, 32 * sizeof(float)>>>(out);
  cudaFree(out);
}
template <bool Right>
void run_short_copy() {
  double host[64] = {}, *in, *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, Right ? sizeof host : sizeof host / 2, cudaMemcpyHostToDevice);
  scales<Right><<<1, 64>>>(in, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
}
template <bool Right>
void run_one_field() {
  Particle *p;
  cudaMalloc(&p, 32 * sizeof(Particle));
  moves<Right><<<1, 32>>>(p);
  cudaFree(p);
}
