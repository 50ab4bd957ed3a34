// Accesses in no order, and barriers that not every thread reaches.
#pragma once

template <bool Right>
__global__ void missing_barrier(const float *in, float *out) {
  __shared__ float tile[128];
  int i = threadIdx.x;
  tile[i] = in[i];
  if (Right) __syncthreads();
  out[i] = tile[127 - i];  // FAULT missing_barrier CM5211
}

template <bool Right>
__global__ void missing_barrier_in_loop(const float *in, float *out) {
  __shared__ float part[256];
  int i = threadIdx.x;
  part[i] = in[i];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (i < step)
      part[i] += part[i + step];  // FAULT missing_barrier_in_loop CM5211
    if (Right) __syncthreads();
  }
  if (i == 0) out[0] = part[0];
}

// Lanes of a warp are in no order of their own: a warp barrier is needed.
template <bool Right>
__global__ void warp_synchronous(const int *in, int *out) {
  __shared__ int part[32];
  int lane = threadIdx.x;
  part[lane] = in[lane];
  if (Right) __syncwarp();
  int other = part[lane ^ 1];  // FAULT warp_synchronous CM5211
  out[lane] = other;
}

template <bool Right>
__global__ void sum_without_atomic(const int *in, int *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (Right)
    atomicAdd(sum, in[i]);
  else if (threadIdx.x == 0)
    *sum += in[i];  // FAULT sum_without_atomic CM5212
}

template <bool Right>
__global__ void reads_the_neighbour_block(int *data, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  int next = Right ? i : (i + blockDim.x) % (gridDim.x * blockDim.x);
  out[i] = data[next];  // FAULT reads_the_neighbour_block CM5212
}

template <bool Right>
__global__ void barrier_in_branch(int *out) {
  __shared__ int first;
  if (threadIdx.x == 0) first = 7;
  if (Right) {
    __syncthreads();
  } else if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads();  // FAULT barrier_in_branch CM5215
  }
  out[threadIdx.x] = first;
}

// Gives a kernel with (const T*, T*) filled input and room for output.
template <class T, class Kernel>
void with_buffers(Kernel kernel, int blocks, int threads) {
  T *in, *out;
  size_t bytes = static_cast<size_t>(blocks) * threads * sizeof(T);
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, bytes);
  cudaMemset(in, 0, bytes);
  cudaMemset(out, 0, bytes);
  kernel<<<blocks, threads>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}

template <bool Right>
void run_missing_barrier() { with_buffers<float>(missing_barrier<Right>, 1, 128); }
template <bool Right>
void run_missing_barrier_in_loop() { with_buffers<float>(missing_barrier_in_loop<Right>, 1, 256); }
template <bool Right>
void run_warp_synchronous() { with_buffers<int>(warp_synchronous<Right>, 1, 32); }
template <bool Right>
void run_sum_without_atomic() {
  int ones[128], *in, *sum;
  for (int &one : ones) one = 1;
  cudaMalloc(&in, sizeof ones);
  cudaMalloc(&sum, sizeof(int));
  cudaMemcpy(in, ones, sizeof ones, cudaMemcpyHostToDevice);
  cudaMemset(sum, 0, sizeof(int));
  sum_without_atomic<Right><<<4, 32>>>(in, sum);
  cudaFree(in);
  cudaFree(sum);
}
template <bool Right>
void run_reads_the_neighbour_block() { with_buffers<int>(reads_the_neighbour_block<Right>, 4, 32); }
template <bool Right>
void run_barrier_in_branch() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  barrier_in_branch<Right><<<1, 64>>>(out);
  cudaFree(out);
}
